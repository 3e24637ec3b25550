use std::fs;

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

fn lines(folder: &Path, pool: &str) -> Result<Vec<String>, String> {
    let found = pool_lines(&folder.join("fpm.conf"), folder, pool)?;
    let told = |line: PoolLine| {
        let file = line.file.strip_prefix(folder).unwrap().display().to_string();
        format!("{file}:{} {}{}", line.line, line.name, if line.is_admin { " admin" } else { "" })
    };
    Ok(found.lines.into_iter().map(told).collect())
}

/// Lines for a pool went to the master's file, where they belong to the pool that was included last.
#[test]
fn a_line_that_is_added_to_the_file_is_the_pools() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let file = |pool: &str| {
        let found = pool_lines(&folder.path().join("fpm.conf"), folder.path(), pool).unwrap();
        found.file.map(|file| file.file_name().unwrap().to_str().unwrap().to_owned())
    };
    write("fpm.conf", "[global]\nerror_log = x\ninclude = *.pool\n");
    write("1.pool", "[one]\nuser = a\n");
    write("2.pool", "[two]\nuser = b\n[three]\nuser = c\n");
    assert_eq!(file("one").as_deref(), Some("1.pool"));
    assert_eq!(file("two"), None, "what is added to its file is another's");
    assert_eq!(file("three").as_deref(), Some("2.pool"));
    write("3.pool", "[one]\npm = static\n");
    assert_eq!(file("one").as_deref(), Some("3.pool"), "the last one counts");
    write("fpm.conf", "[own]\nuser = a\ninclude = 1.pool\n");
    assert_eq!(file("own"), None, "the included one ends in another");
    write("fpm.conf", "include = 1.pool\n[own]\nuser = a\n");
    assert_eq!(file("own").as_deref(), Some("fpm.conf"));
    assert_eq!(file("none"), None);
}

#[test]
fn a_pools_lines_are_found_in_whichever_file_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("pool 'd")).unwrap();
    write(
        "fpm.conf",
        "[global]\nerror_log = x\n[b]\nphp_value[a.b] = 1\ninclude = pool 'd/*.conf\nphp_flag[late]=on\n",
    );
    write("pool 'd/1.conf", "; php_flag[no] = 1\n[A]\nuser = x\n\n\tphp_admin_flag[opcache.enable] = off ; why\n");
    write("pool 'd/2.conf", "[b]\nphp_value[c]=2\n[a]\nphp_admin_value[memory_limit] = \"1M\"\nenv[X] = 1\n");
    write("pool 'd/no.conf~", "[a]\nphp_value[c]=3\n");
    assert_eq!(
        lines(folder.path(), "a").unwrap(),
        [
            "pool 'd/1.conf:5 opcache.enable admin",
            "pool 'd/2.conf:4 memory_limit admin",
            // php-fpm goes on in the section that the included file ended with.
            "fpm.conf:6 late",
        ]
    );
    assert_eq!(lines(folder.path(), "b").unwrap(), ["fpm.conf:4 a.b", "pool 'd/2.conf:2 c"]);
    assert_eq!(lines(folder.path(), "c").unwrap(), [""; 0]);
}

#[test]
fn files_that_include_each_other_or_are_too_many_end() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("fpm.conf", "include = fpm.conf\n");
    assert!(lines(folder.path(), "a").unwrap_err().contains("include each other"));
    write("fpm.conf", "include = many/*\n");
    fs::create_dir(folder.path().join("many")).unwrap();
    for number in 0..300 {
        write(&format!("many/{number}"), "[a]\n");
    }
    assert!(lines(folder.path(), "a").unwrap_err().contains("more than 200 files"));
    write("fpm.conf", &format!("[a]\n{}", "php_value[x] = 1\n".repeat(MOST_LINES + 1)));
    assert!(lines(folder.path(), "a").unwrap_err().contains("more than 2000 lines"));
}
