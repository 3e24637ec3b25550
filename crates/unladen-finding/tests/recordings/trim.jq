# Of a record of evidence what the rules look at; see README.md
def kept: ["display_errors","opcache.enable","opcache.enable_cli","opcache.enable_file_override","opcache.max_accelerated_files","opcache.memory_consumption","opcache.revalidate_freq","opcache.validate_timestamps","open_basedir","realpath_cache_size","realpath_cache_ttl","session.lazy_write","xdebug.mode","zend.assertions"];
.pages[] |= (del(.fresh) | .warm |= (
  ([.phases[]|select(.on).requests]|add) as $n
  | .syscalls |= map(select(.name|IN("fsync","fdatasync","msync","sync_file_range")))
  # A hundred of the 160 parts of the subject's framework are enough.
  | .files |= map(select((.counted.count|add // 0) > 0.05*$n and (.path|test("/framework/Part1[0-9][0-9]")|not)))
  | .compiles |= map(select((.counted.count|add // 0) > 0.05*$n))
  | .php |= map(.settings |= with_entries(select(.key|IN(kept[]))))))
