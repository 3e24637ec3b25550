use super::*;

#[test]
fn what_an_application_says_by_itself_is_no_file() {
    let of = |fix: Fix| unswitched(&fix.lines(unladen_site::FILE, ["[[site]]"]));
    assert!(of(Fix::advice("say it")).starts_with("the application first has to declare"));
    let also = vec![crate::knob::Part { file: "/srv/LocalSettings.php".into(), lines: Vec::new(), group: None }];
    assert!(of(Fix { also, ..Fix::advice("say it") }).contains("a file with other content"));
}

/// A file of Unladen's own, and settings whose lines "are the whole", were said to hold others.
#[test]
fn a_file_of_its_own_was_said_to_hold_others() {
    let of = |file: &str| unswitched(&Fix::advice("keep it").lines(file, ["keepalive 16;"]));
    assert!(of("/etc/nginx/conf.d/unladen-kept.conf").starts_with("besides /etc/nginx/conf.d/unladen-kept.conf"));
    assert!(of("/etc/pgbouncer/pgbouncer.ini").contains("connect to another address"));
    assert!(of("/etc/proxysql.cnf").contains("connect to another address"));
    assert!(of("/etc/app.conf").contains("which may have other lines"));
}
