use unladen_trace::{Evidence, FileCall, FileOutcome, TransferSeen};

use super::super::write_per_request::RULE;
use crate::fix::Audience;
use crate::rules::tests::testing::*;

const SETTINGS: [(&str, &str); 3] =
    [("session.save_handler", "files"), ("session.save_path", "/var/lib/php/sessions"), ("session.lazy_write", "1")];

fn with_session(settings: &[(&str, &str)], folder: &str) -> Evidence {
    let path = format!("{folder}/sess_…");
    let mut evidence = lean();
    evidence.php = vec![php(settings)];
    evidence.files = vec![file(PHP, FileCall::OpenWrite, &path, FileOutcome::Found, 1)];
    evidence.transfers =
        vec![TransferSeen { group: PHP, path, writes: each(1), writing_requests: each(1), ..TransferSeen::default() }];
    evidence
}

/// A reader of feeds gained 11 % from sessions in memory, and no rule said so.
#[test]
fn sessions_on_the_disk_were_not_told_to_be_kept_in_memory() {
    let fix = only(&RULE, &with_session(&SETTINGS, "/var/lib/php/sessions")).fix;
    assert_eq!(fix.lines, ["session.save_path=/run/unladen-sessions"]);
    assert_eq!(fix.commands[0], "install -d -m 1733 /run/unladen-sessions");
    assert_eq!(fix.also[0].lines, ["d /run/unladen-sessions 1733 root root -"]);
    let knob = fix.knob.expect("it can be proved");
    assert_eq!(knob.once[0].makes, "/run/unladen-sessions");
    assert_eq!(fix.audience, Audience::Operator);
    assert!(fix.developers.expect("code").contains("read_and_close"));
    // `N;/path` is PHP's own way to write it.
    let deep = [SETTINGS[0], ("session.save_path", "1;0600;/var/lib/php/sessions/")];
    assert_eq!(only(&RULE, &with_session(&deep, "/var/lib/php/sessions/a")).fix.lines.len(), 1);
}

#[test]
fn sessions_elsewhere_are_not_moved() {
    let advice = |settings: &[(&str, &str)], folder: &str| only(&RULE, &with_session(settings, folder)).fix;
    let is_code = |fix: &crate::fix::Fix| fix.lines.is_empty() && fix.audience == Audience::Developer;
    // The application says where; they are in memory; another handler keeps them; PHP may not go there.
    assert!(is_code(&advice(&SETTINGS, "/srv/app/sessions")));
    let memory = [SETTINGS[0], ("session.save_path", "/dev/shm/php")];
    assert!(is_code(&advice(&memory, "/dev/shm/php")));
    assert!(is_code(&advice(&[("session.save_handler", "redis"), SETTINGS[1]], "/var/lib/php/sessions")));
    let bound = [SETTINGS[0], SETTINGS[1], ("open_basedir", "/srv:/var/lib/php")];
    assert!(is_code(&advice(&bound, "/var/lib/php/sessions")));
}
