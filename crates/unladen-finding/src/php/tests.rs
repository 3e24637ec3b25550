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

const POOL: &str = "/etc/php/8.2/fpm/pool.d/a shop's.conf";

fn pool(name: &str, text: &str) -> PhpSetAgain {
    PhpSetAgain {
        name: name.into(),
        who: "shop".into(),
        file: POOL.into(),
        line: 12,
        text: text.into(),
        in_files: Some("On".into()),
        ..PhpSetAgain::default()
    }
}

fn of(places: Vec<PhpSetAgain>, lines: &[&str]) -> SetAgain {
    let php = PhpSettings { set_again: places, ..PhpSettings::default() };
    SetAgain::of(Some(&php), lines, Some("systemctl reload php8.2-fpm"))
}

#[test]
fn the_line_of_the_pool_is_changed_and_no_other() {
    let again = of(
        vec![pool("opcache.enable", "php_admin_flag[opcache.enable] = off")],
        &["opcache.enable=1", "realpath_cache_size=4096K"],
    );
    assert_eq!(again.left, ["realpath_cache_size=4096K"]);
    assert_eq!(
        again.told,
        ["the pool shop sets opcache.enable itself, in line 12 of /etc/php/8.2/fpm/pool.d/a shop's.conf, which \
          overrides all settings files: the command below changes that line"]
    );
    assert_eq!(
        again.changes[0].there,
        r"sed -i '12s/^php_admin_flag\[opcache\.enable] = off[[:space:]]*$/php_admin_flag[opcache.enable] = on/' '/etc/php/8.2/fpm/pool.d/a shop'\''s.conf'"
    );
    assert!(!again.is_partial);
}

/// A pool cannot switch it on: the line of the pool alone would change nothing where the files say no, too.
#[test]
fn an_opcode_cache_that_is_off_everywhere_is_switched_on_everywhere() {
    let place = PhpSetAgain { in_files: Some("Off".into()), ..pool("opcache.enable", "php_flag[opcache.enable]=no") };
    let again = of(vec![place.clone()], &["opcache.enable=1"]);
    assert_eq!((again.left.len(), again.changes.len()), (1, 1));
    let file = PhpSetAgain { by: PhpSetter::File, text: "opcache.enable=0".into(), ..place.clone() };
    let again = of(vec![file, place], &["opcache.enable=1"]);
    assert_eq!((again.left.len(), again.changes.len()), (0, 2), "the later file is the file that counts");
    let other =
        PhpSetAgain { in_files: Some("0".into()), ..pool("session.lazy_write", "php_flag[session.lazy_write]=0") };
    assert_eq!(of(vec![other], &["session.lazy_write=1"]).left, [""; 0]);
}

#[test]
fn where_the_line_is_not_known_nothing_is_printed_that_does_nothing() {
    let nowhere = PhpSetAgain { file: String::new(), unknown: Some("/x: denied".into()), ..pool("opcache.enable", "") };
    let again = of(vec![nowhere], &["opcache.enable=1"]);
    assert!(again.is_partial && again.left.is_empty() && again.changes.is_empty());
    assert!(again.told[0].contains("was not found (/x: denied): change it there"), "{:?}", again.told);
    // A line with a password is not known.
    let again = of(vec![pool("session.save_path", "")], &["session.save_path=/tmp"]);
    assert!(again.is_partial && again.told[0].ends_with("which overrides all settings files: change it there"));
}

#[test]
fn what_it_was_started_with_is_changed_where_it_is_started() {
    let option = PhpSetAgain {
        by: PhpSetter::CommandLine,
        name: "opcache.enable".into(),
        who: "-d opcache.enable=0".into(),
        in_files: Some("Off".into()),
        ..PhpSetAgain::default()
    };
    let variable = PhpSetAgain {
        by: PhpSetter::Environment,
        name: "xdebug.mode".into(),
        who: "XDEBUG_MODE=debug".into(),
        ..PhpSetAgain::default()
    };
    let again = of(vec![option, variable], &["opcache.enable=1", "xdebug.mode=off"]);
    assert_eq!(
        again.told,
        [
            "it was started with `-d opcache.enable=0`, which overrides all settings files: remove that where it is \
             started (`systemctl cat php8.2-fpm` shows it), and restart it",
            "it was started with XDEBUG_MODE=debug in its environment, which overrides xdebug.mode: remove that, and \
             restart it",
        ]
    );
    assert!(again.is_partial && again.changes.is_empty());
}
