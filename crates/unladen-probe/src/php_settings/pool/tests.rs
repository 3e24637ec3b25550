use super::*;

/// Of a real php-fpm8.2 -tt, cut.
const LOG: &str = "\
[21-Nov-2026 16:38:36] NOTICE: [global]
[21-Nov-2026 16:38:36] NOTICE: \tpid = undefined
[21-Nov-2026 16:38:36] NOTICE:  
[21-Nov-2026 16:38:36] NOTICE: [a]
[21-Nov-2026 16:38:36] NOTICE: \tuser = www-data
[21-Nov-2026 16:38:36] NOTICE: \tenv[FOO] = bar
[21-Nov-2026 16:38:36] NOTICE: \tphp_value[opcache.enable] = 0
[21-Nov-2026 16:38:36] NOTICE: \tphp_value[display_errors] = 1
[21-Nov-2026 16:38:36] NOTICE: \tphp_value[memory_limit] = 64M
[21-Nov-2026 16:38:36] NOTICE: \tphp_value[session.save_path] = /tmp/a sess
[21-Nov-2026 16:38:36] NOTICE: \tphp_admin_value[error_reporting] = 32759
[21-Nov-2026 16:38:36] NOTICE: \tphp_admin_value[memory_limit] = 32M
[21-Nov-2026 16:38:36] NOTICE:  
[21-Nov-2026 16:38:36] NOTICE: [b]
[21-Nov-2026 16:38:36] NOTICE: \tphp_admin_value[opcache.enable] = 1
[21-Nov-2026 16:38:36] NOTICE: \tphp_admin_value[opcache.memory_consumption] = 512
[21-Nov-2026 16:38:36] NOTICE: \tphp_admin_value[sendmail_path] = /bin/true
[21-Nov-2026 16:38:36] NOTICE:  
[21-Nov-2026 16:38:36] NOTICE: configuration file fpm.conf test is successful
";

fn applied(pool: &Pool, files: &[(&str, &str)]) -> Vec<String> {
    let mut settings = files.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    pool.apply(&mut settings);
    settings.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
}

#[test]
fn an_administrators_value_comes_after_the_pools() {
    let pools = parse(LOG);
    assert_eq!(pools.iter().map(|pool| pool.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(
        applied(&pools[0], &[("opcache.enable", "On"), ("memory_limit", "128M"), ("log_errors", "On")]),
        [
            "display_errors=1",
            "error_reporting=32759",
            "log_errors=On",
            "memory_limit=32M",
            "opcache.enable=0",
            "session.save_path=/tmp/a sess"
        ]
    );
}

#[test]
fn what_a_pool_sets_too_late_changes_nothing() {
    let files = [("opcache.enable", "Off"), ("opcache.memory_consumption", "128")];
    assert_eq!(applied(&parse(LOG)[1], &files), ["opcache.enable=Off", "opcache.memory_consumption=128"]);
}

#[test]
fn of_a_complaint_there_are_no_pools() {
    assert!(parse("[21-Nov-2026 16:38:36] ERROR: failed to open error_log (/x): Permission denied (13)\n").is_empty());
}
