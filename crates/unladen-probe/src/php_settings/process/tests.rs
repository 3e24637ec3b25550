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
