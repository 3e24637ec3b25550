//! What `PerfClock` finds in servers whose doings are known. Needs root, gcc and perl; python3, node, nginx and PHP-FPM
//! where there are.
//!
//! Measures: shares of samples.
#![cfg(feature = "ebpf")]
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by them, in what they share too")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use unladen_load::{Cancel, DriverConfig, Request};
use unladen_probe::{GroupBy, GroupKind, ProcessGroups, StackSample, TraceError};
use unladen_profile::{FrameKind, Profile, Unit};
use unladen_profiler::{PerfClock, PerfClockOptions, Profiler, ProfilerError};

mod support;

const FREQUENCY: u64 = 997;

/// A process that ends with the test.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts"))
    }

    /// Burns on one processor, and follows nobody.
    fn burner() -> Self {
        Self::start(Command::new("perl").args(["-e", "1 while 1"]).stdout(Stdio::null()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn skipped(why: impl std::fmt::Display) {
    assert!(std::env::var_os("UNLADEN_TESTS").is_none_or(|value| value != "all"), "nothing may be left out: {why}");
    // A test that says nothing looks like one that passed.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// Whether processes that a test starts have groups of their own; not where all belong to one unit of systemd.
fn has_groups() -> bool {
    let child = Running::start(Command::new("sleep").arg("60"));
    let mut groups = ProcessGroups::open(GroupBy::Auto);
    let group = groups.of(&StackSample { pid: child.0.id(), ..StackSample::default() });
    let has = groups.group(group).kind == GroupKind::Processes;
    if !has {
        skipped(format!("all processes of this test are of {}", groups.group(group)));
    }
    has
}

/// `None`, and a line that says why, where tests may not sample.
fn clock(url: &str) -> Option<PerfClock> {
    let request = Request::get(url).expect("a URL").build().expect("a request");
    match PerfClock::open(DriverConfig::new(vec![request]), PerfClockOptions { frequency: FREQUENCY }) {
        Ok(clock) => Some(clock),
        Err(ProfilerError::Trace(
            error @ (TraceError::NotAllowed | TraceError::NoBtf | TraceError::LockedDown | TraceError::PidNamespace),
        )) => {
            skipped(error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn profiled(url: &str, requests: usize) -> Option<(Profile, Vec<String>)> {
    let mut clock = clock(url)?;
    let (cancel, mut profile) = (Cancel::new(), Profile::default());
    for _ in 0..requests {
        let answered = clock.profile(&mut profile, &cancel).expect("an answer");
        assert_eq!(answered.status, 200);
    }
    clock.finish(&mut profile).expect("a profile");
    assert_eq!(profile.clusters.len(), requests);
    assert_eq!((profile.about.unit, profile.about.are_requests), (Unit::CpuNanoseconds, true));
    assert_eq!(profile.about.period_ns, Some(1_000_000_000 / FREQUENCY));
    Some((profile, clock.notes()))
}

/// The server of answers.c, built in that way; it is named by what it does, so that each test has a group of its own.
fn answers(folder: &Path, how: &str, flags: &[&str]) -> (Running, String) {
    let program: PathBuf = folder.join(format!("answers-{how}"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/perf_clock/answers.c");
    let built = Command::new("gcc").args(["-O1", "-o"]).arg(&program).arg(source).args(flags).status();
    assert!(built.expect("gcc").success());
    let mut server = Running::start(Command::new(&program).arg(how).stdout(Stdio::piped()));
    let mut port = String::new();
    BufReader::new(server.0.stdout.take().expect("a pipe")).read_line(&mut port).expect("its port");
    (server, format!("http://127.0.0.1:{}/", port.trim()))
}

/// Weights by the name of the innermost frame, below a group.
fn leaves(profile: &Profile, group: &str) -> BTreeMap<String, u64> {
    let mut leaves = BTreeMap::new();
    for (stack, weight) in stacks(profile) {
        if stack[0] == group {
            *leaves.entry(stack[stack.len() - 1].clone()).or_default() += weight;
        }
    }
    leaves
}

/// All stacks, as names from the outermost.
fn stacks(profile: &Profile) -> Vec<(Vec<String>, u64)> {
    let name = |frame| profile.frames.get(frame).name.to_owned();
    let weights = profile.self_weights();
    let with = profile.stacks.iter().filter(|stack| weights[stack.index()] > 0);
    with.map(|stack| (profile.stacks.outwards_in(stack).into_iter().map(name).collect(), weights[stack.index()]))
        .collect()
}

fn groups(profile: &Profile) -> Vec<String> {
    let frames = profile.frames.iter().filter(|(_, frame)| frame.kind == FrameKind::Group);
    frames.map(|(_, frame)| frame.name.to_owned()).collect()
}

/// The user's own processes of that name, as groups are called.
fn group_of(name: &str) -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).expect("users").expect("this one");
    format!("{} {name}", user.name)
}

#[test]
fn functions_have_their_shares() {
    if !has_groups() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, url) = answers(folder.path(), "parts", &["-fno-omit-frame-pointer"]);
    let _burner = Running::burner();
    let Some((profile, notes)) = profiled(&url, 40) else { return };
    let group = group_of("answers-parts");
    assert!(groups(&profile).contains(&group), "{:?} {notes:?}", groups(&profile));
    assert!(!groups(&profile).contains(&group_of("perl")), "who burns all the time follows nobody: {notes:?}");

    let leaves = leaves(&profile, &group);
    let (three, one) = (leaves["three_parts"] as f64, leaves["one_part"] as f64);
    // 3:1; of some hundred samples.
    assert!((0.6..0.9).contains(&(three / (three + one))), "{leaves:?}");
    let all: u64 = leaves.values().sum();
    assert!((three + one) / all as f64 > 0.6, "{leaves:?}");
    assert!(notes.iter().all(|note| !note.contains("lost") && !note.contains("stripped")), "{notes:?}");
}

#[test]
fn kernel_and_program_are_one_stack() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, url) = answers(folder.path(), "reads", &["-fno-omit-frame-pointer", "-static"]);
    let Some((profile, notes)) = profiled(&url, 30) else { return };
    let stacks = stacks(&profile);
    // The kernel's frames are above the library's `read`, which is above `main`.
    let is_joined = |stack: &[String]| {
        let place = |name: &str| stack.iter().position(|frame| frame == name);
        let (main, read) = (place("main"), place("read").or_else(|| place("__libc_read")));
        main.zip(read).is_some_and(|(main, read)| main < read && read + 2 < stack.len())
    };
    let joined = stacks.iter().filter(|(stack, _)| is_joined(stack)).map(|(_, weight)| weight).sum::<u64>();
    let all: u64 = stacks.iter().map(|(_, weight)| weight).sum();
    assert!(joined * 2 > all, "{joined} of {all}: {stacks:#?} {notes:?}");
    let kernel = profile.frames.iter().filter(|(_, frame)| frame.kind == FrameKind::Kernel);
    let names: Vec<&str> = kernel.map(|(_, frame)| frame.name).collect();
    assert!(names.iter().any(|name| name.contains("read_iter_zero") || name.contains("vfs_read")), "{names:?}");
}

#[test]
fn who_was_forked_for_the_request_is_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, url) = answers(folder.path(), "forks", &["-O0"]);
    let Some((profile, notes)) = profiled(&url, 30) else { return };
    let stacks = stacks(&profile);
    let called = stacks.iter().filter(|(stack, _)| stack.ends_with(&["work", "caller", "spin"].map(String::from)));
    let (called, all) =
        (called.map(|(_, weight)| weight).sum::<u64>(), stacks.iter().map(|(_, weight)| weight).sum::<u64>());
    assert!(called * 2 > all, "{called} of {all}: {stacks:#?} {notes:?}");
}

#[test]
fn what_is_missing_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, url) = answers(folder.path(), "caller", &["-fomit-frame-pointer", "-s"]);
    let Some((profile, notes)) = profiled(&url, 30) else { return };
    let names: Vec<&str> = profile.frames.iter().map(|(_, frame)| frame.name).collect();
    assert!(names.contains(&"[answers-caller]") && !names.contains(&"spin"), "{names:?}");
    let program = folder.path().join("answers-caller");
    let stripped = notes.iter().find(|note| note.contains("-dbgsym")).expect("a note of stripped symbols");
    assert!(stripped.contains(&*program.to_string_lossy()), "{stripped}");
    assert!(notes.iter().any(|note| note.contains("frame pointers")), "{notes:?}");
    assert!(
        stacks(&profile)
            .iter()
            .all(|(stack, _)| !stack.windows(2).any(|two| two[0] == "[answers-caller]" && two[0] == two[1]))
    );
}

#[test]
fn nothing_follows_too_few_requests() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, url) = answers(folder.path(), "none", &[]);
    let Some((profile, notes)) = profiled(&url, 2) else { return };
    assert_eq!(profile.total(), 0);
    assert!(notes.iter().any(|note| note.contains("send more requests")), "{notes:?}");
}

#[test]
fn a_plain_request_is_not_sampled_and_cancelling_ends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_server, url) = answers(folder.path(), "plain", &[]);
    let Some(mut clock) = clock(&url) else { return };
    let cancel = Cancel::new();
    let answered = clock.plain(&cancel).expect("an answer");
    assert_eq!((answered.status, answered.bytes), (200, 2));
    cancel.cancel();
    let cancelled = clock.profile(&mut Profile::default(), &cancel).expect_err("it was cancelled");
    assert!(matches!(cancelled, ProfilerError::Cancelled), "{cancelled}");
    let mut profile = Profile::default();
    clock.finish(&mut profile).expect("it ends");
    assert_eq!((profile.clusters.len(), profile.total()), (0, 0));
    // What is finished is finished.
    clock.finish(&mut profile).expect("it has ended");
    assert!(clock.profile(&mut profile, &Cancel::new()).is_err());
}

/// Whoever is started there answers some time later.
fn wait_for(port: u16) {
    let patience = Instant::now() + Duration::from_secs(20);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < patience, "nobody listens at {port}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn is_there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let there = there.is_ok_and(|status| status.success());
    if !there {
        skipped(format!("there is no {program}"));
    }
    there
}

#[test]
fn pythons_server_is_found() {
    if !is_there("/usr/bin/python3") || !has_groups() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for file in 0..300 {
        std::fs::write(folder.path().join(format!("file{file}")), "").expect("it is written");
    }
    let port = support::free_port();
    let mut command = Command::new("/usr/bin/python3");
    command.args(["-m", "http.server", "--bind", "127.0.0.1"]).arg(port.to_string()).stdout(Stdio::null());
    let _server = Running::start(command.current_dir(folder.path()));
    let _burner = Running::burner();
    wait_for(port);
    let Some((profile, notes)) = profiled(&format!("http://127.0.0.1:{port}/"), 60) else { return };
    let groups = groups(&profile);
    assert!(groups.iter().any(|group| group.starts_with(&group_of("python3"))), "{groups:?} {notes:?}");
    assert!(!groups.contains(&group_of("perl")), "{groups:?} {notes:?}");
}

#[test]
fn names_of_compiled_javascript_are_read() {
    if !is_there("node") || !has_groups() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let port = support::free_port();
    let script = folder.path().join("server.js");
    let text = "function burnInJavaScript(n) { let x = 0; for (let i = 0; i < n; i++) x = (x + i * i) % 1000003; return x; }
        require('http').createServer((q, s) => s.end(String(burnInJavaScript(3e6)))).listen(+process.argv[2], '127.0.0.1');";
    std::fs::write(&script, text).expect("it is written");
    let mut command = Command::new("node");
    command.args(["--perf-basic-prof", "--interpreted-frames-native-stack"]).arg(&script).arg(port.to_string());
    let server = Running::start(command.current_dir(folder.path()).stdout(Stdio::null()));
    wait_for(port);
    let found = profiled(&format!("http://127.0.0.1:{port}/"), 40);
    let _ = std::fs::remove_file(format!("/tmp/perf-{}.map", server.0.id()));
    let Some((profile, notes)) = found else { return };
    let leaves = leaves(&profile, &group_of("node"));
    let all: u64 = leaves.values().sum();
    let burnt = leaves.get("burnInJavaScript").copied().unwrap_or_default();
    assert!(burnt * 2 > all, "{leaves:?} {notes:?}");
    let frame = profile.frames.iter().find(|(_, frame)| frame.name == "burnInJavaScript").expect("it is there").1;
    assert_eq!((frame.kind, frame.line), (FrameKind::Function, 1));
    assert!(frame.file.ends_with("server.js"), "{}", frame.file);
}

#[test]
fn php_and_the_web_server_are_found() {
    if support::skip("php_and_the_web_server_are_found") || !has_groups() {
        return;
    }
    let site = support::Site::start(&support::Settings { excimer: false, ..support::Settings::default() });
    let page = "<?php $a = []; for ($i = 0; $i < 60000; $i++) $a[] = md5((string) $i); sort($a); echo count($a);";
    site.page("work.php", page);
    let _burner = Running::burner();
    let url = format!("http://127.0.0.1:{}/work.php", site.port);
    let Some((profile, notes)) = profiled(&url, 40) else { return };
    let groups = groups(&profile);
    let fpm = groups.iter().find(|group| group.starts_with("www-data php-fpm")).expect("PHP-FPM follows");
    assert!(!groups.contains(&group_of("perl")), "{groups:?} {notes:?}");
    let leaves = leaves(&profile, fpm);
    let all: u64 = leaves.values().sum();
    // Nearly all of the page is PHP's own; Debian's has no names for most of it.
    assert!(all * 10 > profile.total() * 7, "{leaves:?}");
    let unnamed = leaves.iter().find(|(name, _)| name.starts_with("[php-fpm")).map_or(0, |(_, weight)| *weight);
    let is_said = notes.iter().any(|note| note.starts_with(&**fpm) && note.contains("-dbgsym"));
    assert!(is_said || unnamed * 4 < all, "{unnamed} of {all}: {leaves:?} {notes:?}");
}
