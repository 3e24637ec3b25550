use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use super::*;

/// A program under a name of its own: tests run side by side and would count each other's.
fn program(name: &str, folder: &std::path::Path) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::copy("/bin/dd", &path).unwrap();
    path
}

/// What a counter of the groups whose name contains `group` has grown.
fn grown(instrument: &Instrument, after: &Reading, before: &Reading, group: &str, counter: &str) -> u64 {
    after
        .since(before)
        .filter(|(g, c, _)| instrument.group(*g).name.contains(group) && instrument.counter(*c).name == counter)
        .map(|(_, _, grown)| grown)
        .sum()
}

#[test]
fn a_missing_proc_is_named() {
    let error = Instrument::open_at("/nonexistent", GroupBy::Auto, Own::new()).err().unwrap().to_string();
    assert!(error.contains("/nonexistent") && error.contains("is /proc mounted?"), "{error}");
    let empty = tempfile::tempdir().unwrap();
    let error =
        Instrument::open_at(empty.path().to_str().unwrap(), GroupBy::Auto, Own::new()).err().unwrap().to_string();
    assert!(error.contains("lists no process"), "{error}");
}

#[test]
fn names_of_counters_are_unique_and_every_probe_has_a_page() {
    let mut names: Vec<_> = PROBES.iter().flat_map(|entry| entry.counters).map(|counter| counter.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
    for entry in PROBES {
        let page = format!("{}/../../docs/reference/probes/{}.md", env!("CARGO_MANIFEST_DIR"), entry.name);
        let text = std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{page}: {error}"));
        for counter in entry.counters {
            assert!(text.contains(&format!("`{}`", counter.name)), "{page} does not describe `{}`", counter.name);
        }
    }
}

#[test]
fn a_child_that_lives_on_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let lives_on = program("lives-on", folder.path());
    let mut instrument = Instrument::open(GroupBy::Exe).unwrap();
    let before = instrument.read().unwrap();
    let mut child = Command::new(lives_on)
        .args(["if=/dev/zero", "of=/dev/null", "bs=64k", "count=9000000"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(150));
    let during = instrument.read().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(grown(&instrument, &during, &before, " lives-on", "cpu") > 1_000_000);
    assert_eq!(grown(&instrument, &during, &before, " lives-on", "processes_started"), 1);
    assert!(grown(&instrument, &during, &before, " lives-on", "read_calls") > 100);
}

#[test]
fn an_idle_process_adds_nothing_and_a_new_one_is_counted_once() {
    let mut child = Command::new("sleep").arg("60").spawn().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let mut instrument = Instrument::open(GroupBy::Pid).unwrap();
    let own = format!("sleep {}", child.id());
    let before = instrument.read().unwrap();
    let after = instrument.read().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    for counter in ["cpu", "processes_started", "minor_faults"] {
        assert_eq!(grown(&instrument, &after, &before, &own, counter), 0, "{counter}");
    }
}

/// Exit records are root's alone; without them there is nothing for this test to read.
#[test]
fn processes_that_live_between_two_readings_are_counted_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (parent, child) = (folder.path().join("the-parent"), program("lives-short", folder.path()));
    std::fs::copy("/bin/sh", &parent).unwrap();
    // Five times 20,000 reads; then it lives on, having waited for all of them.
    let script = format!(
        "read go; for i in 1 2 3 4 5; do {} if=/dev/zero of=/dev/null bs=64k count=20000 2>/dev/null; done; echo done; read stop",
        child.display()
    );
    let mut shell =
        Command::new(parent).args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(100));

    let mut instrument = Instrument::open(GroupBy::Exe).unwrap();
    let before = instrument.read().unwrap();
    shell.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
    let mut line = String::new();
    BufReader::new(shell.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let after = instrument.read().unwrap();
    let has_records = instrument.listener.is_some();
    shell.kill().unwrap();
    shell.wait().unwrap();

    // The reads are in the parent's account, with or without records.
    let reads = grown(&instrument, &after, &before, " the-parent", "read_calls");
    assert!((100_000..100_200).contains(&reads), "{reads}");
    if !has_records {
        eprintln!("skipped the rest: exit records need root (CAP_NET_ADMIN) and a kernel with taskstats");
        return;
    }
    assert_eq!(grown(&instrument, &after, &before, " lives-short", "processes_started"), 5);
    assert!(grown(&instrument, &after, &before, " lives-short", "cpu") >= 20_000_000, "two ticks of 10 ms");
    assert_eq!(instrument.newly_lost(), 0);
}

/// Regression: when a process and its parent ended between the same two readings, or the parent's child times showed a
/// child only one reading after it had gone, the child's time was counted both as its own and as its parent's.
#[test]
fn nested_processes_that_end_together_are_not_counted_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (outer, inner) = (folder.path().join("nested-outer"), folder.path().join("nested-inner"));
    std::fs::copy("/bin/sh", &outer).unwrap();
    std::fs::copy("/bin/sh", &inner).unwrap();
    let inner = inner.display();
    // Two levels below the shell that lives on; each innermost one lives through several readings.
    let work = "x=0; while [ $x -lt 150000 ]; do x=$((x+1)); done";
    let script = format!(
        "read go; for i in 1 2 3 4 5 6; do {inner} -c '{inner} -c \"{}\"; true'; done; echo done; read stop",
        work.replace('$', "\\$")
    );
    let mut shell =
        Command::new(outer).args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(100));

    let mut instrument = Instrument::open(GroupBy::Exe).unwrap();
    let before = instrument.read().unwrap();
    shell.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
    let (done, is_done) = std::sync::mpsc::channel();
    let stdout = shell.stdout.take().unwrap();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        done.send(read.is_ok())
    });
    while is_done.recv_timeout(Duration::from_millis(13)).is_err() {
        instrument.read().unwrap();
    }
    let after = instrument.read().unwrap();
    let mut procfs = ProcFs::new("/proc");
    let pid = i32::try_from(shell.id()).unwrap();
    let stat = crate::process::Stat::parse(procfs.of_process(pid, "stat").unwrap()).unwrap();
    shell.kill().unwrap();
    shell.wait().unwrap();

    let truth_ns = (stat.user_ticks + stat.system_ticks + stat.children_ticks) * 10_000_000;
    let counted_ns = grown(&instrument, &after, &before, " nested-", "cpu");
    assert!(truth_ns > 200_000_000, "{truth_ns}");
    // Four fields of a tick each, before and after.
    assert!(counted_ns.abs_diff(truth_ns) <= 80_000_000, "counted {counted_ns}, truth {truth_ns}");
}

/// Between listings of /proc the ids given out since are asked for their clocks, and a thread that asks for its own id
/// gets its process's.
#[test]
fn the_reading_thread_is_not_taken_for_a_process() {
    let mut instrument = Instrument::open(GroupBy::Pid).unwrap();
    let before = instrument.read().unwrap();
    let (tid, grown) = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let after = instrument.read().unwrap();
            let tid = nix::unistd::gettid().to_string();
            let of_thread = after.since(&before).filter(|(group, _, _)| instrument.group(*group).name.ends_with(&tid));
            (tid.clone(), of_thread.count())
        });
        thread.join().unwrap()
    });
    assert_eq!(grown, 0, "{tid}");
}

#[test]
fn opened_connections_are_counted() {
    let mut instrument = Instrument::open(GroupBy::Auto).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let before = instrument.read().unwrap();
    for _ in 0..3 {
        let stream = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        drop(listener.accept().unwrap());
        drop(stream);
    }
    let after = instrument.read().unwrap();
    assert!(grown(&instrument, &after, &before, "machine", "tcp_opened") >= 3);
    assert!(grown(&instrument, &after, &before, "machine", "tcp_accepted") >= 3);
}

/// As PHP-FPM's workers, which the master forks as root.
#[test]
fn a_worker_that_becomes_another_user_after_the_first_look_goes_to_that_user() {
    if !nix::unistd::geteuid().is_root() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: only root becomes another user");
        return;
    }
    let mut instrument = Instrument::open(GroupBy::Exe).unwrap();
    instrument.read().unwrap();
    let script = "$| = 1; my $n = 0; $n++ while $n < 1e5; print \"root\\n\"; <STDIN>; $> = 65534; $n++ while $n < 2e6; print \"nobody\\n\"; <STDIN>";
    let mut command = Command::new("perl");
    let mut worker = command.args(["-e", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (worker.stdin.take().unwrap(), BufReader::new(worker.stdout.take().unwrap()));
    let mut says = |word: &str| {
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        assert_eq!(line.trim(), word);
    };
    says("root");
    let as_root = instrument.read().unwrap();
    writeln!(to).unwrap();
    says("nobody");
    let after = instrument.read().unwrap();
    drop(to);
    worker.wait().unwrap();
    assert!(grown(&instrument, &after, &as_root, "nobody perl", "cpu") > 1_000_000);
}
