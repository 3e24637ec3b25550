use super::*;

/// What followed `php-fpm` was printed as a part of a command that root runs.
#[test]
fn a_program_was_called_what_a_shell_runs() {
    let called = |name: &str| {
        let mut evidence = crate::rules::tests::testing::lean();
        evidence.groups[crate::rules::tests::testing::PHP].exe = Some(format!("/usr/sbin/{name}"));
        evidence
    };
    let reload = |name: &str| reload(&called(name), crate::rules::tests::testing::PHP);
    assert_eq!(reload("php-fpm8.2").as_deref(), Some("systemctl reload php8.2-fpm"));
    assert_eq!(reload("php-fpm; id #"), None);
    assert_eq!(debian(&called("php-fpm$(id)"), crate::rules::tests::testing::PHP), None);
}

/// The host's own pool was named, though `-y` says that it is another.
#[test]
fn an_fpm_with_settings_elsewhere_was_taken_for_debians() {
    let group = crate::rules::tests::testing::PHP;
    let of = |config: &str| {
        let mut evidence = crate::rules::tests::testing::lean();
        evidence.groups[group].exe = Some("/usr/sbin/php-fpm8.2".into());
        evidence.php.clear();
        let config = Some(config.to_owned());
        evidence.groups[group].server =
            Some(unladen_trace::ServerSeen { config, ..unladen_trace::ServerSeen::default() });
        pool_file(&evidence, group)
    };
    assert_eq!(of("/etc/php/8.2/fpm/php-fpm.conf").as_deref(), Some("/etc/php/8.2/fpm/pool.d/www.conf"));
    assert_eq!(of("/srv/shop/fpm.conf"), None);
}
