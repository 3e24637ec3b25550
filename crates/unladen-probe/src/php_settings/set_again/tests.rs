use super::*;

#[test]
fn a_line_that_holds_a_password_is_not_kept() {
    assert_eq!(kept("php_admin_flag[opcache.enable] = off  "), "php_admin_flag[opcache.enable] = off");
    assert_eq!(kept("\tsession.lazy_write\t=0"), "  session.lazy_write  =0");
    for line in [
        "php_value[session.save_path] = \"tcp://cache:6379?auth=secret\"".to_owned(),
        "opcache.enable=0 ; password=hunter2".to_owned(),
        "a=\u{1b}[2J".to_owned(),
        format!("a={}", "x".repeat(MAX_LINE)),
    ] {
        assert_eq!(kept(&line), "", "{line}");
    }
}

#[test]
fn later_files_are_those_of_the_last_folder_that_sort_behind_the_fix() {
    let files = "/etc/php/conf.d/zzz.ini,\n/srv/php.d/10-a.ini,\n/srv/php.d/zz-unladen.ini,\n/srv/php.d/zzz.ini";
    assert_eq!(later_files("/etc/php/conf.d:/srv/php.d", files), [Path::new("/srv/php.d/zzz.ini")]);
    assert_eq!(later_files(":/srv/php.d", files), [Path::new("/srv/php.d/zzz.ini")]);
    assert_eq!(later_files("", ""), Vec::<PathBuf>::new());
}
