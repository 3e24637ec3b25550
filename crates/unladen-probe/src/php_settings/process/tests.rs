use super::*;

fn of(arguments: &[&str]) -> Vec<String> {
    options(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
}

#[test]
fn options_that_name_settings_are_taken() {
    assert_eq!(
        of(&["php-cgi", "-c", "/etc/php", "-d", "a=1", "-db=2", "-n", "-b", "9000"]),
        ["-c", "/etc/php", "-d", "a=1", "-db=2", "-n"]
    );
    assert_eq!(of(&["php", "-S", "localhost:80", "-t", "web", "-d", "a=1", "router.php", "-d", "b=2"]), ["-d", "a=1"]);
    assert_eq!(of(&["php", "-d"]), [""; 0]);
    assert_eq!(of(&["php", "--", "-n"]), [""; 0]);
    assert_eq!(of(&[]), [""; 0]);
}

#[test]
fn what_is_no_php_is_not_asked() {
    let own = i32::try_from(std::process::id()).unwrap();
    let error = Php::look(Path::new("/proc"), own).unwrap_err();
    assert!(matches!(error, PhpSettingsError::NotPhp { .. }), "{error}");
    assert!(matches!(Php::look(Path::new("/proc"), i32::MAX), Err(PhpSettingsError::Gone { .. })));
}

#[test]
fn reads_the_environment_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("environ"), b"PATH=/bin\0PHP_INI_SCAN_DIR=:/a=b\0XPHPRC=no\0").unwrap();
    let (environment, doubts) = environment(folder.path(), true);
    assert_eq!(environment, [("PHP_INI_SCAN_DIR".to_owned(), OsString::from(":/a=b"))]);
    assert!(doubts.is_empty());
    // Nothing but the title, and no memory to read.
    std::fs::write(folder.path().join("environ"), [0; 100]).unwrap();
    let (environment, doubts) = self::environment(folder.path(), true);
    assert!(environment.is_empty() && doubts[0].contains("PHP_INI_SCAN_DIR"), "{doubts:?}");
}

/// Texts as they lie in Debian's libphp8.2.so, with these folders in place of its own.
fn library(path: &Path, scan: &Path) -> Vec<u8> {
    let (path, scan) = (path.display(), scan.display());
    format!(
        "\u{1}\u{2}Build System\0Server API\0/\0{path}\0Loaded Configuration File\0Additional .ini files parsed\0API4202\0\
         %s,%s\0X-Powered-By: PHP/8.2.36\0ZEND_MM_MAX_ALLOCS\0/var\0PHP_LOCALSTATEDIR\0PHP_CONFIG_FILE_PATH\0\
         {scan}\0PHP_CONFIG_FILE_SCAN_DIR\0PHP_SHLIB_SUFFIX\0"
    )
    .into_bytes()
}

#[test]
fn a_library_tells_its_version_and_the_folders_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let (path, scan) = (folder.path().join("apache2"), folder.path().join("apache2/conf.d"));
    let bare = Module::read(&library(&path, &scan)).unwrap();
    assert_eq!(bare, Module { version: "8.2.36".into(), ini: None, ini_folder: None });
    assert_eq!(bare.options(), ["-d", "opcache.enable_cli=1"]);
    fs::create_dir_all(&scan).unwrap();
    fs::write(path.join("php.ini"), "").unwrap();
    fs::write(scan.join("10-opcache.ini"), "").unwrap();
    let module = Module::read(&library(&path, &scan)).unwrap();
    assert_eq!((module.ini, module.ini_folder), (Some(path.join("php.ini")), Some(scan)));
    assert_eq!(Module::read(b"no\0PHP\0"), None);
}

#[test]
fn a_folder_that_the_server_was_told_of_comes_before_the_one_that_was_built_in() {
    let module = Module { version: "8.2.36".into(), ini: None, ini_folder: Some("/etc/php/8.2/apache2/conf.d".into()) };
    let mut environment = Vec::new();
    module.folder_for(&mut environment);
    assert_eq!(environment, [(SCAN.to_owned(), OsString::from("/etc/php/8.2/apache2/conf.d"))]);
    let told = vec![(SCAN.to_owned(), OsString::from("/srv/php.d"))];
    let mut environment = told.clone();
    module.folder_for(&mut environment);
    assert_eq!(environment, told);
}

/// Lines of /proc/PID/maps, of Apache with its module and without.
#[test]
fn php_is_seen_within_a_server_by_what_it_has_mapped() {
    let folder = tempfile::tempdir().unwrap();
    let is_within = |path: &str| {
        let maps = format!(
            "563a1b000000-563a1b0a0000 r-xp 00000000 fe:00 1311121                    /usr/sbin/apache2\n\
             7fb0fcc00000-7fb0fcce6000 r--p 00000000 fe:00 1327121                    {path}\n\
             7ffd3c9e1000-7ffd3ca02000 rw-p 00000000 00:00 0                          [stack]\n"
        );
        fs::write(folder.path().join("maps"), maps).unwrap();
        Module::is_within(folder.path())
    };
    assert!(is_within("/usr/lib/apache2/modules/libphp8.2.so"));
    assert!(is_within("/usr/lib64/httpd/modules/libphp.so (deleted)"));
    assert!(!is_within("/usr/lib/apache2/modules/mod_proxy_fcgi.so"));
    assert!(!is_within("/srv/libphp/libc.so.6"));
    assert!(!Module::is_within(Path::new("/nonexistent")));
}
