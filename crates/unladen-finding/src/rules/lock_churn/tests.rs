use unladen_trace::{FileCall, FileOutcome};

use super::*;
use crate::rules::tests::testing::*;

fn locks(kind: LockKind, path: &str, times: u64) -> LockSeen {
    LockSeen { group: PERL, kind, path: path.into(), counted: counted(times, 20_000) }
}

const FLOCK: LockKind = LockKind::Call(LockCall::Flock);
const FCNTL: LockKind = LockKind::Call(LockCall::Fcntl);

fn with_locks(locks: Vec<LockSeen>) -> Evidence {
    Evidence { locks, ..lean() }
}

#[test]
fn a_lock_file_for_each_list() {
    let mut seen: Vec<_> =
        (0..20).map(|list| locks(LockKind::File, &format!("/var/lib/sympa/l{list}/config.lock"), 1)).collect();
    seen.push(locks(FLOCK, "/var/lib/sympa/l1/config", 2));
    let found = only(&RULE, &with_locks(seen));
    assert_eq!(found.summary, "22 locks taken per request, 20 by lock files, 2 by flock or fcntl");
    assert_eq!(found.items.iter().map(|item| item.per_request).sum::<f64>(), 22.0);
    // 2 × 20 µs of 20 ms: no file was seen.
    assert!((part(&found).value - 0.002).abs() < 1e-9, "{found:?}");
    assert!(found.fix.advice.contains("one lock around all of the work"), "{found:?}");
}

#[test]
fn ten_are_too_many_and_a_session_is_not() {
    assert_eq!(
        only(&RULE, &with_locks(vec![locks(FLOCK, "/srv/app/lock", 10)])).summary,
        "10 locks taken per request, by flock or fcntl"
    );
    silent(&RULE, &with_locks(vec![locks(FLOCK, "/srv/app/lock", 9)]));
    silent(&RULE, &with_locks(vec![locks(FLOCK, "/var/lib/php/sessions/sess_1", 1)]));
    silent(&RULE, &lean());
}

#[test]
fn sqlite_wants_a_transaction() {
    let found = only(&RULE, &with_locks(vec![locks(FCNTL, "/srv/app/wiki.sqlite", 30)]));
    assert_eq!(found.summary, "30 locks taken per request, on a database of SQLite");
    assert_eq!(found.fix.commands, ["sqlite3 /srv/app/wiki.sqlite 'PRAGMA journal_mode=WAL;'"]);
    // Whatever its name, if statements were seen.
    let mut evidence = with_locks(vec![locks(FCNTL, "/srv/app/data", 30)]);
    assert!(only(&RULE, &evidence).fix.commands.is_empty());
    evidence.queries =
        vec![unladen_trace::QuerySeen { group: PERL, protocol: QueryProtocol::Sqlite, ..Default::default() }];
    assert!(!only(&RULE, &evidence).fix.commands.is_empty());
    // Its journal's index is locked too, and takes no statements.
    evidence.locks[0].path = "/srv/app/data-shm".into();
    assert!(only(&RULE, &evidence).fix.commands.is_empty());
}

#[test]
fn locks_that_others_take_meanwhile() {
    let mut evidence = with_locks(vec![locks(FLOCK, "/srv/app/lock", 1)]);
    evidence.locks[0].counted = counted_of(with(1, 100_000), 1_000, with(1, 100_000));
    silent(&RULE, &evidence);
}

/// Sympa's first request is 7 % faster without its lock files, of which linking them is a tenth: 0.6 % were told.
#[test]
fn of_a_lock_file_the_linking_alone_was_told() {
    let path = |list: usize| format!("/var/lib/sympa/l{list}/config.lock");
    let mut evidence = with_locks((0..20).map(|list| locks(LockKind::File, &path(list), 1)).collect());
    for list in 0..20 {
        evidence.files.push(file(PERL, FileCall::Create, &format!("{}.1.2", path(list)), FileOutcome::Found, 1));
        evidence.files.push(file(PERL, FileCall::Link, &format!("{}.1.2", path(list)), FileOutcome::Found, 1));
        evidence.files.push(file(PERL, FileCall::Unlink, &path(list), FileOutcome::Found, 3));
        evidence.files.push(file(
            PERL,
            FileCall::Stat,
            &format!("/var/lib/sympa/l{list}/config"),
            FileOutcome::Found,
            9,
        ));
    }
    let found = only(&RULE, &evidence);
    // 20 × 5 calls of 1 µs, × 3 and from × 1.1 to × 4.5, of 20 ms.
    let part = part(&found);
    assert_eq!([part.low, part.value, part.high].map(|part| (part * 1e4).round()), [55.0, 150.0, 225.0], "{found:?}");
}

/// A lock for each signer, on a file that is opened for each: 0.05 ms were promised at most, and 0.95 ± 0.67 proved.
#[test]
fn openings_of_a_file_for_each_lock_were_not_counted() {
    let mut evidence = with_locks(vec![locks(FLOCK, "/srv/app/lock", 30)]);
    let before = part(&only(&RULE, &evidence));
    evidence.files.push(file(PERL, FileCall::OpenWrite, "/srv/app/lock", FileOutcome::Found, 30));
    let after = part(&only(&RULE, &evidence));
    // 30 calls of 1 µs, × 3, of 20 ms; from × 1.1 to × 4.5, less what the latency's own interval takes.
    let more = [after.low - before.low, after.value - before.value, after.high - before.high];
    assert_eq!(more.map(|part| (part * 1e4).round()), [19.0, 45.0, 65.0]);
    // Opened once, it is no part of each lock.
    evidence.files[0] = file(PERL, FileCall::OpenWrite, "/srv/app/lock", FileOutcome::Found, 1);
    assert_eq!(part(&only(&RULE, &evidence)).value, before.value);
}

/// One lock around all work leaves those of SQLite.
#[test]
fn a_fix_for_one_use_of_locks_saved_what_others_take() {
    let found = only(&RULE, &with_locks(vec![locks(FLOCK, "/srv/lock", 30), locks(FCNTL, "/srv/a.sqlite", 10)]));
    let (what, calls, of, part) = partly(&found);
    assert_eq!((what, calls, of), ("locks", 30.0, 40.0));
    assert!(is_about(part, 0.75 * AROUND), "{part}");
    assert_eq!(only(&RULE, &with_locks(vec![locks(FLOCK, "/srv/lock", 30)])).removes, None);
}
