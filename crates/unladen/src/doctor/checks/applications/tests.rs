use super::*;
use crate::doctor::row::Verdict;

fn php(extensions: &[&str], settings: &[(&str, &str)]) -> PhpSettings {
    PhpSettings {
        exe: "/usr/sbin/php-fpm8.2".into(),
        ini: "/etc/php/8.2/fpm/php.ini".into(),
        ini_folder: "/etc/php/8.2/fpm/conf.d".into(),
        extensions: extensions.iter().map(|name| (*name).to_owned()).collect(),
        settings: settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..PhpSettings::default()
    }
}

#[test]
fn an_opcode_cache_that_is_off_is_switched_on_where_php_reads_last() {
    let rows = of_settings(7, &php(&["Zend OPcache", "excimer"], &[("opcache.enable", "Off")]));
    assert_eq!((rows[0].verdict, rows[1].verdict), (Verdict::Limited, Verdict::Ok));
    assert!(rows[0].fix[0].ends_with("tee /etc/php/8.2/fpm/conf.d/zz-unladen.ini"), "{rows:?}");
    assert!(rows[0].fix[1].ends_with("kill -USR2 7"), "{rows:?}");
}

/// Root was to write into a user's folder, where a link could lead anywhere.
#[test]
fn root_writes_into_no_folder_in_which_others_can_put_links() {
    let folder = tempfile::tempdir().unwrap();
    let open = folder.path().join("conf.d");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let ini_folder = open.display().to_string();
    let php = PhpSettings { ini_folder, ..php(&["Zend OPcache", "excimer"], &[("opcache.enable", "Off")]) };
    let rows = of_settings(7, &php);
    assert_eq!(rows[0].fix, Vec::<String>::new());
    assert!(format!("{:?}", rows[0]).contains("which root would follow"), "{rows:?}");
    // One that is missing can still be made by anybody.
    let php = PhpSettings { ini_folder: "/tmp/unladen-missing/conf.d".into(), ..php };
    assert_eq!(of_settings(7, &php)[0].fix, Vec::<String>::new());
}

/// A user's own program `php-fpm;reboot` made a command of its name, for root to paste.
#[test]
fn a_programs_name_became_a_command() {
    for name in ["php-fpm;reboot", "php-fpm8.2$(reboot)", "`reboot`"] {
        let rows = of_settings(7, &PhpSettings { exe: format!("/home/a/{name}").into(), ..php(&[], &[]) });
        assert!(rows[0].fix[0].ends_with("apt-get install php-opcache"), "{rows:?}");
    }
    assert!(of_settings(7, &php(&[], &[]))[0].fix[0].ends_with("apt-get install php8.2-opcache"));
}

/// A file of settings was to be written, and its pool said no after that.
#[test]
fn an_opcode_cache_that_a_pool_switches_off_is_switched_on_there() {
    let again = PhpSetAgain {
        name: "opcache.enable".into(),
        who: "www".into(),
        file: "/etc/php/8.2/fpm/pool.d/www.conf".into(),
        line: 9,
        ..PhpSetAgain::default()
    };
    let php = PhpSettings { set_again: vec![again], ..php(&["Zend OPcache"], &[("opcache.enable", "0")]) };
    let rows = of_settings(7, &php);
    assert!(rows[0].fix.iter().all(|fix| !fix.contains("tee")), "{rows:?}");
    let told = format!("{:?}", rows[0]);
    assert!(told.contains("in line 9 of /etc/php/8.2/fpm/pool.d/www.conf, the pool www"), "{told}");
}

#[test]
fn what_is_not_installed_is_a_package() {
    let rows = of_settings(7, &php(&[], &[]));
    assert!(rows[0].fix[0].ends_with("apt-get install php8.2-opcache"), "{rows:?}");
    assert!(rows[1].fix[0].ends_with("apt-get install php-excimer"), "{rows:?}");
}

#[test]
fn the_compiler_of_hot_code_is_told() {
    let on = [("opcache.enable", "On"), ("opcache.jit", "tracing"), ("opcache.jit_buffer_size", "64M")];
    assert!(of_settings(7, &php(&["Zend OPcache"], &on))[0].what.contains("(JIT tracing)"));
    assert!(of_settings(7, &php(&["Zend OPcache"], &on[..2]))[0].what.contains("(JIT off)"));
}

#[test]
fn it_is_missed_where_perl_runs() {
    assert_eq!(of_version(Some("6.12".into()), false).what, "Perl has Devel::NYTProf 6.12");
    assert_eq!(of_version(Some(String::new()), true).verdict, Verdict::Limited);
    assert_eq!(
        (of_version(Some(String::new()), false).verdict, of_version(None, false).verdict),
        (Verdict::Ok, Verdict::Ok)
    );
}

#[test]
fn addresses_of_zeros_are_hidden_ones() {
    assert_eq!(of_kernel("0000000000000000 T _text").verdict, Verdict::Limited);
    assert_eq!(of_kernel("ffffffff81000000 T _text").verdict, Verdict::Ok);
}
