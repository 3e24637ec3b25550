use super::*;

#[test]
fn code_alone_and_each_file_once() {
    let maps = b"00400000-00500000 r--p 00000000 fe:00 7   /usr/bin/php\n\
                 00500000-00600000 r-xp 00100000 fe:00 7   /usr/bin/php\n\
                 7f00-7f10 r-xp 00000000 fe:00 9           /opt/a b/libsqlite3.so.0 (deleted)\n\
                 7f20-7f30 r-xp 00000000 fe:00 9           /opt/a b/libsqlite3.so.0 (deleted)\n\
                 7f40-7f50 r-xp 00000000 00:00 0           [vdso]\n\
                 7f60-7f70 rw-p 00000000 00:00 0 \nodd\n";
    let all = parse(maps);
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!(all[0].path, "/usr/bin/php");
    assert_eq!(all[1].name(), "libsqlite3.so.0");
    let [link, path] = all[1].openable(12);
    assert_eq!(link.to_str(), Some("/proc/12/map_files/7f00-7f10"));
    assert_eq!(path.to_str(), Some("/proc/12/root/opt/a b/libsqlite3.so.0"));
    assert_eq!(all[0].openable(1)[0].to_str(), Some("/proc/1/map_files/500000-600000"));
}
