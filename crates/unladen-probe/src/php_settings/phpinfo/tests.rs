use super::*;

/// Of a real `php-fpm8.2 -i`, cut; a line with a setting's name was put into its environment.
const FPM: &str = include_str!("fpm.txt");
/// Of a real `php-cgi8.2 -i`, cut.
const CGI: &str = include_str!("cgi.html");

#[test]
fn reads_the_text_of_fpm() {
    let info = PhpInfo::parse(FPM);
    assert_eq!(info.sapi, "FPM/FastCGI");
    assert_eq!((info.ini.as_str(), info.ini_folder.as_str()), ("/etc/php/8.2/fpm/php.ini", "/etc/php/8.2/fpm/conf.d"));
    assert!(
        info.ini_files.starts_with("/etc/php/8.2/fpm/conf.d/10-opcache.ini,\n/etc/php/8.2/fpm/conf.d/10-pdo.ini,\n")
    );
    assert!(info.ini_files.ends_with(",\n/etc/php/8.2/fpm/conf.d/20-xsl.ini"));
    let extensions = ["apcu", "calendar", "Core", "ctype", "mbstring", "pgsql", "session", "Zend OPcache", "zlib"];
    assert_eq!(info.extensions, extensions);
    let settings = info.settings();
    let of = |name: &str| settings.get(name).map(String::as_str);
    assert_eq!(
        (of("opcache.enable"), of("opcache.enable_cli")),
        (Some("On"), Some("Off")),
        "its own, not that of scripts"
    );
    assert_eq!((of("opcache.revalidate_freq"), of("opcache.jit")), (Some("2"), Some("")));
    assert_eq!((of("memory_limit"), of("zend.assertions"), of("error_log")), (Some("128M"), Some("-1"), Some("")));
    assert_eq!((of("session.save_handler"), of("session.save_path")), (Some("files"), Some("/var/lib/php/sessions")));
    assert_eq!((of("realpath_cache_size"), of("realpath_cache_ttl")), (Some("4096K"), Some("120")));
    assert_eq!(of("sendmail_path"), None, "that has nothing to do with it");
}

#[test]
fn reads_the_html_of_cgi() {
    let info = PhpInfo::parse(CGI);
    assert_eq!((info.sapi.as_str(), info.ini.as_str()), ("CGI/FastCGI", ""));
    assert_eq!(info.ini_folder, "/etc/php/8.2/cgi/conf.d");
    assert_eq!(info.extensions, ["Core", "session", "Zend OPcache", "zlib"]);
    let settings = info.settings();
    assert_eq!(settings["opcache.enable"], "On");
    assert_eq!(settings["auto_prepend_file"], "");
    assert_eq!(settings["memory_limit"], "128M", "not of the environment");
}

#[test]
fn takes_the_local_value() {
    for (values, expected) in [
        ("a => b", "a"),
        ("a => b => a => b", "a => b"),
        ("On => Off", "On"),
        ("no value => no value", "no value"),
        ("x", "x"),
    ] {
        assert_eq!(local(values), expected, "{values}");
    }
}

#[test]
fn extensions_without_settings_are_at_the_end() {
    let text = "Configuration\n\nCore\n\nPHP Version => 8\n\nAdditional Modules\n\nModule Name\nsysvmsg\nexcimer\n\nEnvironment\n\n";
    assert_eq!(PhpInfo::parse(text).extensions, ["Core", "sysvmsg", "excimer"]);
}

#[test]
fn settings_that_are_no_more_are_left_out() {
    let text = "Configuration\n\nxdebug\n\nDirective => Local Value => Master Value\nxdebug.mode => off => off\n\
                xdebug.auto_trace => (setting renamed in Xdebug 3) => (setting renamed in Xdebug 3)\n\n";
    assert_eq!(PhpInfo::parse(text).settings().into_iter().collect::<Vec<_>>(), [("xdebug.mode".into(), "off".into())]);
}

#[test]
fn passwords_and_keys_stay_where_they_are() {
    assert!(is_wanted("newrelic.enabled") && is_wanted("xdebug.mode"));
    assert!(!is_wanted("newrelic.license") && !is_wanted("blackfire.server_token") && !is_wanted("tideways.api_key"));
    assert_eq!(without_password("tcp://localhost:6379?auth=secret"), "tcp://…");
    assert_eq!(without_password("tcp://localhost:6379"), "tcp://localhost:6379");
    assert_eq!(without_password("/var/lib/php/sessions"), "/var/lib/php/sessions");
}

/// A password was looked for behind `://` alone.
#[test]
fn passwords_of_several_servers_and_of_proxies_were_told() {
    for (value, told) in [
        ("tcp://ann:hunter2@a:6379", "tcp://…"),
        ("tcp://a:6379?auth=hunter2, tcp://b:6379?auth=hunter2", "tcp://…"),
        ("\"tcp://a:6379?auth[]=ann&auth[]=hunter2\"", "tcp://…"),
        ("a:6379?auth=hunter2,tcp://b:6379", "…tcp://…"),
        ("seed[]=a:7000&seed[]=b:7000&auth=hunter2", "…"),
        ("unix:/run/redis.sock?auth=hunter2", "…"),
        ("ann:hunter2@proxy:8080", "ann:…@proxy:8080"),
        ("host=db user=ann password=hunter2", "host=db user=ann password=…"),
    ] {
        assert_eq!(without_password(value), told);
    }
    for value in ["E_ALL & ~E_NOTICE", ".:/usr/share/php", "2;0600;/var/lib/php", "a:11211,b:11211", "Off", ""] {
        assert_eq!(without_password(value), value);
    }
    for name in ["spx.http_key", "xdebug.trigger_value", "scoutapm.key", "elastic_apm.secret_token"] {
        assert!(!is_wanted(name), "{name}");
    }
    for name in ["opcache.enable", "session.save_path", "xdebug.start_with_request", "realpath_cache_size"] {
        assert!(is_wanted(name), "{name}");
    }
}

#[test]
fn files_that_were_not_read_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("20-a.ini"), "").unwrap();
    std::fs::write(folder.path().join("README"), "").unwrap();
    let path = folder.path().to_str().unwrap();
    let info =
        |files: &str| PhpInfo { ini_folder: format!(":{path}"), ini_files: files.to_owned(), ..PhpInfo::default() };
    assert!(info(&format!("{path}/20-a.ini")).is_complete());
    assert!(!info("").is_complete());
    std::fs::write(folder.path().join("php.ini"), "").unwrap();
    let unread = PhpInfo { ini_path: path.to_owned(), ..PhpInfo::default() };
    assert!(!unread.is_complete());
    assert!(PhpInfo { ini: format!("{path}/php.ini"), ..unread }.is_complete());
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text: String, lines in "(Configuration|Directive => Local Value => Master Value|[a-z]{1,3}( => [a-z]{0,3}){0,2}|<table|<|\n){0,40}") {
        let _ = PhpInfo::parse(&text);
        let _ = PhpInfo::parse(&lines.replace("Configuration", "Configuration\n"));
        let _ = crate::php_settings::pool::parse(&text);
    }
}
