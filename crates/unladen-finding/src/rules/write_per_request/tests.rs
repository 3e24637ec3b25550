use unladen_trace::{GroupSeen, LockCall, LockSeen, LogSeen, SyscallSeen, TransferSeen};

use super::*;
use crate::rules::tests::testing::*;

fn statement(group: usize, text: &str, protocol: QueryProtocol) -> QuerySeen {
    QuerySeen {
        group,
        protocol,
        fingerprint: text.into(),
        writes: true,
        counted: counted(1, 500_000),
        ..QuerySeen::default()
    }
}

fn transfer(path: &str, series: Series) -> TransferSeen {
    TransferSeen {
        group: PHP,
        path: path.into(),
        writes: series.clone(),
        writing_requests: series,
        ..TransferSeen::default()
    }
}

fn with_transfers(transfers: Vec<TransferSeen>) -> Evidence {
    Evidence { transfers, ..lean() }
}

const COUNTER: &str = "UPDATE page SET hits = hits + ? WHERE id = ?";

#[test]
fn a_hit_counter() {
    let mut evidence = lean();
    evidence.queries = vec![statement(PHP, COUNTER, QueryProtocol::Postgres)];
    let found = only(&RULE, &evidence);
    assert_eq!(found.summary, "1 writing statement per GET");
    assert_eq!(found.items[0].name, COUNTER);
    // 0.5 of 20 ms.
    assert!((part(&found).value - 0.025).abs() < 1e-9, "{found:?}");
    assert!(
        found.fix.advice.starts_with("for the developers of the application: count visits outside the request"),
        "{found:?}"
    );
    evidence.page.method = "POST".into();
    silent(&RULE, &evidence);
    evidence.page.method = "HEAD".into();
    assert_eq!(only(&RULE, &evidence).summary, "1 writing statement per HEAD");
    evidence.state = State::Fresh;
    silent(&RULE, &evidence);
    evidence.state = State::Warm;
    evidence.queries[0].writes = false;
    silent(&RULE, &evidence);
}

#[test]
fn now_and_then_is_a_cache() {
    let cache = |series| with_transfers(vec![transfer("/var/cache/app/page", series)]);
    let found = only(&RULE, &cache(once_in(2)));
    assert_eq!(found.summary, "0.50 written files per GET");
    assert_eq!(found.items[0].name, "/var/cache/app/page");
    silent(&RULE, &cache(once_in(3)));
    silent(&RULE, &cache(once(1)));
    silent(&RULE, &lean());
}

#[test]
fn sessions_are_one_however_many() {
    let names = (0..1200).map(|index| transfer(&format!("/var/lib/php/sessions/sess_{index}"), Series::default()));
    let mut evidence = with_transfers(names.collect());
    // Without a cookie each request has a session of its own: 50 in each phase that is on.
    let phases: Vec<usize> =
        evidence.phases.all().iter().enumerate().filter(|(_, phase)| phase.on).map(|(index, _)| index).collect();
    for (index, seen) in evidence.transfers.iter_mut().enumerate().take(phases.len() * 50) {
        seen.writing_requests.add(phases[index / 50], 1);
        evidence.locks.push(LockSeen {
            group: PHP,
            kind: LockKind::Call(LockCall::Flock),
            path: seen.path.clone(),
            counted: Counted::default(),
        });
    }
    evidence.php = vec![php(&[("session.lazy_write", "0")])];
    let found = only(&RULE, &evidence);
    assert_eq!(found.summary, "1 written file per GET");
    assert_eq!(found.items[0].name, "sessions: /var/lib/php/sessions/sess_*");
    assert_eq!(found.fix.lines, ["session.lazy_write=1"]);
    assert!(found.check_again.contains("\n[[knob]]\n"), "{}", found.check_again);
    evidence.php.clear();
    assert!(only(&RULE, &evidence).fix.lines.is_empty());
}

#[test]
fn temporary_files_are_named_as_such() {
    let mut evidence = lean();
    for (index, phase) in [0, 3, 5, 6].into_iter().cycle().take(24).enumerate() {
        let phase = phase + 8 * (index / 4 % 3);
        let path = format!("/tmp/php{index}");
        for call in [FileCall::Create, FileCall::Unlink] {
            let mut series = Series::default();
            series.add(phase, 50);
            let counted = counted_of(series.clone(), 5_000, series);
            evidence.files.push(FileSeen {
                group: PHP,
                call,
                path: path.clone(),
                outcome: FileOutcome::Found,
                counted,
            });
        }
    }
    let found = only(&RULE, &evidence);
    assert_eq!(found.summary, "2 written files per GET");
    assert_eq!(found.items[0].name, "files in /tmp that the same request removes");
    assert!(found.fix.advice.contains("php://memory"), "{found:?}");
    // Making them takes 10 µs; fsync is added where it was seen.
    let Share::Known { time, .. } = &found.takes else { panic!("{found:?}") };
    assert!((time.value - 10e3).abs() < 1.0, "{time:?}");
    evidence.syscalls =
        vec![SyscallSeen { group: PHP, name: "fdatasync".into(), error: None, count: each(1), time_ns: each(990_000) }];
    assert!((part(&only(&RULE, &evidence)).value - 0.05).abs() < 1e-6);
    // New ones that nobody removes.
    evidence.files.retain(|file| file.call == FileCall::Create);
    evidence.files.iter_mut().for_each(|file| file.counted = counted_of(once(5), 5_000, once(5)));
    silent(&RULE, &evidence);
}

#[test]
fn a_new_file_in_each_request() {
    let mut evidence = lean();
    for phase in [0, 3, 5, 6, 8, 11, 13, 14, 16, 19, 21, 22] {
        for index in 0..5 {
            let mut series = Series::default();
            series.add(phase, 10);
            evidence.transfers.push(transfer(&format!("/srv/app/var/{phase}-{index}"), series));
        }
    }
    let found = only(&RULE, &evidence);
    assert_eq!(found.items[0].name, "new files in /srv/app/var");
    assert_eq!(found.summary, "1 written file per GET");
}

/// All below /dev was taken for devices.
#[test]
fn sessions_in_shared_memory_are_written_too() {
    let evidence = with_transfers(vec![transfer("/dev/shm/php/counter", each(1))]);
    assert_eq!(only(&RULE, &evidence).items[0].name, "/dev/shm/php/counter");
}

#[test]
fn logs_locks_and_devices_are_told_elsewhere() {
    let mut evidence = with_transfers(vec![transfer("/srv/app/app.log", each(1)), transfer("/dev/null", each(1))]);
    evidence.logs =
        vec![LogSeen { group: PHP, sink: LogSink::File, path: "/srv/app/app.log".into(), ..LogSeen::default() }];
    let lock = |kind, path: &str| LockSeen { group: PHP, kind, path: path.into(), counted: counted(1, 1_000) };
    evidence.locks = vec![
        lock(LockKind::Call(LockCall::Fcntl), "/srv/app/wiki.sqlite"),
        lock(LockKind::Call(LockCall::Flock), "/srv/app/mutex"),
        lock(LockKind::File, "/srv/app/config.lock"),
    ];
    evidence.files = vec![
        file(PHP, FileCall::OpenWrite, "/srv/app/mutex", FileOutcome::Found, 1),
        file(PHP, FileCall::Create, "/srv/app/config.lock", FileOutcome::Found, 1),
    ];
    silent(&RULE, &evidence);
    // The database is told by its statements.
    evidence.transfers.push(transfer("/srv/app/wiki.sqlite", once_in(5)));
    evidence.transfers.push(transfer("/srv/app/wiki.sqlite-wal", each(1)));
    evidence.queries = vec![statement(PHP, COUNTER, QueryProtocol::Sqlite)];
    assert_eq!(only(&RULE, &evidence).summary, "1 writing statement per GET");
    evidence.queries.clear();
    let found = only(&RULE, &evidence);
    assert_eq!(
        (found.summary.as_str(), found.items[0].name.as_str()),
        ("1 written file per GET", "/srv/app/wiki.sqlite")
    );
}

#[test]
fn what_others_write_meanwhile() {
    silent(&RULE, &with_transfers(vec![transfer("/srv/app/state", with(0, 50))]));
}

#[test]
fn a_file_that_was_opened_read_write_was_taken_for_written() {
    let mut evidence = lean();
    evidence.files = vec![file(PHP, FileCall::OpenWrite, "base/16384/16386", FileOutcome::Found, 1)];
    silent(&RULE, &evidence);
    evidence.transfers = vec![transfer("base/16384/16386", each(1))];
    let found = only(&RULE, &evidence);
    // Its path is not whole, and there was no advice.
    assert!(
        found.fix.advice.starts_with("for the developers of the application: write a file only if its content changes"),
        "{found:?}"
    );
    // Opening it is a part of writing it.
    let Share::Known { time, .. } = &found.takes else { panic!("{found:?}") };
    assert!((time.value - 1e3).abs() < 1.0, "{time:?}");
}

#[test]
fn the_file_that_is_linked_to_make_a_lock_was_taken_for_a_temporary_one() {
    let mut evidence = lean();
    evidence.files = vec![
        file(PHP, FileCall::Change, "/srv/work/lock.7", FileOutcome::Found, 1),
        file(PHP, FileCall::Link, "/srv/work/lock.7", FileOutcome::Found, 30),
        file(PHP, FileCall::Unlink, "/srv/work/lock.7", FileOutcome::Found, 1),
    ];
    only(&RULE, &evidence);
    evidence.locks =
        vec![LockSeen { group: PHP, kind: LockKind::File, path: "/srv/work/lock".into(), counted: counted(30, 1_000) }];
    silent(&RULE, &evidence);
}

#[test]
fn the_file_that_a_log_daemon_writes_was_the_pages() {
    let mut evidence = lean();
    evidence.groups.push(GroupSeen { name: "root rsyslogd".into(), ..GroupSeen::default() });
    let group = evidence.groups.len() - 1;
    evidence.transfers = vec![TransferSeen { group, ..transfer("/var/log/syslog", each(1)) }];
    silent(&RULE, &evidence);
}

/// With two workers each file is written by about half of the requests, some by more and some by fewer.
#[test]
fn a_file_for_each_worker_was_written_by_too_few_requests_each() {
    let worker = |number: u64, requests: u64| TransferSeen {
        // Of 50 requests in a phase so many.
        writing_requests: (0..24).map(|phase| if matches!(phase % 8, 0 | 3 | 5 | 6) { requests } else { 0 }).collect(),
        ..transfer(&format!("/srv/app/state.{number}"), Series::default())
    };
    let found = only(&RULE, &with_transfers(vec![worker(7, 26), worker(8, 24)]));
    assert_eq!(found.summary, "1 written file per GET");
    assert_eq!(found.items[0].name, "one of 2 files in /srv/app");
    assert!(!found.fix.advice.is_empty());
}

#[test]
fn what_a_profiler_writes_is_told_with_it() {
    silent(&RULE, &with_transfers(vec![transfer("/tmp/cachegrind.out.7", each(1))]));
}

/// Request Tracker's session was taken for a counter of visits, and so were those of Django and Rails.
#[test]
fn a_session_in_a_table_was_called_a_count_of_visits() {
    let advice = |texts: &[&str]| {
        let queries = texts.iter().map(|text| statement(PHP, text, QueryProtocol::Mysql)).collect();
        only(&RULE, &Evidence { queries, ..lean() }).fix.advice
    };
    for text in [
        "UPDATE sessions SET a_session = ?, LastUpdated = NOW() WHERE id = ?",
        "INSERT INTO \"django_session\" (\"session_key\", \"session_data\", \"expire_date\") VALUES (?+)",
        "DELETE FROM `sess`.`user_sessions` WHERE id = ?",
    ] {
        let advice = advice(&[text]);
        assert!(
            advice.starts_with("for the developers of the application: begin a session only")
                && !advice.contains("visits"),
            "{text}: {advice}"
        );
    }
    let both = advice(&["UPDATE sessions SET a_session = ? WHERE id = ?", COUNTER]);
    assert!(both.contains("begin a session only") && both.contains("count visits outside the request"), "{both}");
    assert!(!advice(&["UPDATE page SET session = ?"]).contains("begin a session"));
}

/// 83 µs were told, where `strace -T` had 1.2 ms: the lock, `ftruncate` (343 µs on ext4) and the writing were left out.
#[test]
fn a_sessions_lock_and_truncation_were_left_out() {
    let session = "/var/lib/php/sessions/sess_…";
    let mut evidence = with_transfers(vec![transfer(session, each(1))]);
    evidence.files = vec![file(PHP, FileCall::OpenWrite, session, FileOutcome::Found, 1)];
    evidence.locks = vec![LockSeen {
        group: PHP,
        kind: LockKind::Call(LockCall::Flock),
        path: session.into(),
        counted: counted(1, 30_000),
    }];
    let called = |name: &str, count: u64, ns: u64| SyscallSeen {
        group: PHP,
        name: name.into(),
        count: each(count),
        time_ns: each(count * ns),
        ..SyscallSeen::default()
    };
    evidence.syscalls = vec![called("ftruncate", 1, 343_000), called("pwrite64", 1, 50_000), called("write", 4, 9_000)];
    let takes = |evidence: &Evidence| match only(&RULE, evidence).takes {
        Share::Known { time, .. } => time.value,
        other => panic!("{other:?}"),
    };
    // The opening, the lock, the truncation and the writing; what is written into sockets is not.
    assert!((takes(&evidence) - (1e3 + 30e3 + 343e3 + 50e3)).abs() < 1.0, "{}", takes(&evidence));
    // Without pwrite, one of four writes was into the file.
    evidence.syscalls.remove(1);
    assert!((takes(&evidence) - (1e3 + 30e3 + 343e3 + 9e3)).abs() < 1.0, "{}", takes(&evidence));
}

/// A setting for sessions was said to save the statements, too.
#[test]
fn a_setting_for_sessions_saved_the_statements() {
    let session = "/var/lib/php/sessions/sess_1";
    let mut evidence = with_transfers(vec![transfer(session, each(1))]);
    evidence.files = vec![file(PHP, FileCall::OpenWrite, session, FileOutcome::Found, 1)];
    evidence.queries = vec![statement(PHP, "UPDATE a SET b = ?", QueryProtocol::Mysql)];
    evidence.php = vec![php(&[("session.lazy_write", "0")])];
    let (what, calls, of, part) = partly(&only(&RULE, &evidence));
    assert_eq!((what, calls), ("writes", 1.0));
    assert!(of > 1.5 && part < 0.1, "{of}, {part}");
    evidence.php[0].settings.clear();
    assert_eq!(only(&RULE, &evidence).removes, None);
}
