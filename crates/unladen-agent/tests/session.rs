//! Sessions with the agent as it is built, over commands that lead to this machine.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use unladen_agent::{
    Answer, Ask, FarInspection, FarInstrument, Host, PROTOCOL, Patience, Session, SessionError, SessionOptions, Unable,
};
use unladen_probe::{GroupBy, GroupKind};

/// Far above what anything here takes: what is not so by then never is.
const LIMIT: Duration = Duration::from_secs(60);

/// Marks the processes of one test in their environment.
const MARK: &str = "UNLADEN_TEST_OF";

/// A way to this machine: with a folder for what is copied, and a mark in the environment of all that is started.
struct Way {
    folder: tempfile::TempDir,
    mark: String,
}

impl Way {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().display().to_string();
        Self { folder, mark }
    }

    /// A host with these words before `sh`, and no unladen in its PATH.
    fn host(&self, words: &str) -> Host {
        let (folder, mark) = (self.folder.path().display(), &self.mark);
        let command = format!("env {MARK}={mark} TMPDIR={folder} PATH=/usr/sbin:/usr/bin:/sbin:/bin {words}");
        Host::new("there", &command).unwrap()
    }

    /// The processes that were started on this way.
    fn processes(&self) -> Vec<Pid> {
        let wanted = format!("{MARK}={}", self.mark);
        let all = fs::read_dir("/proc").unwrap().flatten();
        let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let is_of_this = |pid: &i32| {
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
        };
        pids.filter(is_of_this).map(Pid::from_raw).collect()
    }

    /// The agent: the process that calls itself so.
    fn agent(&self) -> Pid {
        let name =
            |pid: &Pid| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm == "unladen-agent\n");
        self.processes().into_iter().find(name).expect("it runs")
    }

    /// What is left of a session: nothing, once all has ended.
    fn assert_nothing_is_left(&self) {
        let begun = Instant::now();
        while !self.processes().is_empty() {
            assert!(begun.elapsed() < LIMIT, "still there: {:?}", self.processes());
            std::thread::sleep(Duration::from_millis(10));
        }
        let files: Vec<_> = fs::read_dir(self.folder.path()).unwrap().flatten().map(|entry| entry.path()).collect();
        assert_eq!(files, Vec::<PathBuf>::new());
    }
}

fn built() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_unladen-agent"))
}

/// What is copied: without names of functions, which are most of it.
fn stripped() -> &'static Path {
    static STRIPPED: OnceLock<PathBuf> = OnceLock::new();
    STRIPPED.get_or_init(|| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unladen-agent");
        let made = path.with_extension(std::process::id().to_string());
        assert!(Command::new("strip").arg("-o").arg(&made).arg(built()).status().unwrap().success());
        fs::rename(made, &path).unwrap();
        path
    })
}

fn copying() -> SessionOptions {
    SessionOptions { agent: Some(stripped().to_owned()), connect_timeout: LIMIT, ..SessionOptions::default() }
}

fn soon() -> Instant {
    Instant::now() + LIMIT
}

fn error(host: &Host, options: &SessionOptions) -> String {
    Session::start(host, options).unwrap_err().to_string()
}

/// An executable script in the way's folder.
fn script(way: &Way, name: &str, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = way.folder.path().join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

// === What goes well ===

#[test]
fn an_agent_is_copied_counts_and_leaves_nothing() {
    let way = Way::new();
    let session = Session::start(&way.host(""), &copying()).unwrap();
    assert_eq!(session.path(), "copied");
    // From its first moment on, no file has a name.
    assert_eq!(fs::read_dir(way.folder.path()).unwrap().count(), 0);
    let clock = session.measure_clock(5, soon()).unwrap();
    assert!(clock.offset_ns.unsigned_abs() <= clock.uncertainty_ns, "one clock, and {clock:?}");
    assert_eq!(session.round_trips().unwrap().count, 5);

    let mut instrument = FarInstrument::open(session, GroupBy::Exe, soon()).unwrap();
    let before = instrument.read(soon()).unwrap();
    let mut busy = Command::new("/bin/sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let after = instrument.read(soon()).unwrap();
    busy.kill().unwrap();
    busy.wait().unwrap();
    assert!(after.at_ns - before.at_ns >= 100_000_000);
    let cpu = instrument.counters().iter().position(|counter| counter.name == "cpu").unwrap();
    let shell = fs::canonicalize("/bin/sh").unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    let of_shells = |(group, counter, _): &&(usize, usize, u64)| {
        *counter == cpu && instrument.groups()[*group].name.ends_with(&format!(" {shell}"))
    };
    let grown: u64 = after.grown.iter().filter(of_shells).map(|(_, _, amount)| amount).sum();
    assert!(grown > 5_000_000, "{grown} ns of a loop that ran all the time");
    assert!(instrument.groups().iter().any(|group| group.kind == GroupKind::Own));
    assert!(instrument.counters()[cpu].known().is_some());
    drop(instrument);
    way.assert_nothing_is_left();
}

#[test]
fn an_agent_that_is_there_is_used() {
    let way = Way::new();
    let bin = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(built(), bin.path().join("unladen")).unwrap();
    let path = format!("PATH={}:/usr/bin:/bin", bin.path().display());
    let options = SessionOptions { copy: false, ..copying() };
    let session = Session::start(&way.host(&path), &options).unwrap();
    assert_eq!(session.path(), bin.path().join("unladen").to_str().unwrap());
    session.measure_clock(1, soon()).unwrap();
    drop(session);
    way.assert_nothing_is_left();
}

/// What a login shell, a banner or a careless profile writes comes before the agent's first frame.
#[test]
fn noise_before_the_agent_is_skipped() {
    let way = Way::new();
    let noise = "sh -c 'echo Last login: Monday; printf \"no end of line\"; echo unladen-agent-; exec \"$@\"' --";
    let session = Session::start(&way.host(noise), &copying()).unwrap();
    session.measure_clock(1, soon()).unwrap();
    drop(session);
    way.assert_nothing_is_left();
}

/// Shells and tools differ in how they read ahead.
#[test]
fn a_slow_link_that_gives_bytes_one_by_one_is_fine() {
    let way = Way::new();
    let tiny = script(&way, "slow", "#!/bin/sh\ndd bs=777 2>/dev/null | \"$@\" | dd bs=3 2>/dev/null\n");
    let session = Session::start(&way.host(tiny.to_str().unwrap()), &copying()).unwrap();
    fs::remove_file(&tiny).unwrap();
    session.measure_clock(1, soon()).unwrap();
    drop(session);
    way.assert_nothing_is_left();
}

// === Hosts that cannot ===

#[test]
fn a_host_without_unladen_is_told_when_nothing_may_be_copied() {
    let way = Way::new();
    let options = SessionOptions { copy: false, ..copying() };
    let told = error(&way.host(""), &options);
    assert!(told.contains("there is none") && told.contains("leave --no-copy out"), "{told}");

    let bin = tempfile::tempdir().unwrap();
    let other = way.host(&format!("PATH={}:/usr/bin:/bin", bin.path().display()));
    let old = "#!/bin/sh\n[ \"$2\" = --protocol ] && echo unladen-agent-protocol 99 8.1.0\n";
    fs::rename(script(&way, "unladen", old), bin.path().join("unladen")).unwrap();
    let told = error(&other, &options);
    assert!(told.contains("unladen unladen-agent-protocol 99 8.1.0"), "{told}");
    way.assert_nothing_is_left();
}

#[test]
fn another_version_that_says_it_is_this_one_is_told() {
    let way = Way::new();
    let bin = tempfile::tempdir().unwrap();
    let liar = format!(
        "#!/bin/sh\n[ \"$2\" = --protocol ] && exec echo unladen-agent-protocol {PROTOCOL} 0.1.0\n\
         printf '\\021\\0\\0\\0UNLADEN\\n\\011\\0\\0\\0008.1.0'; cat >/dev/null\n"
    );
    fs::rename(script(&way, "unladen", &liar), bin.path().join("unladen")).unwrap();
    let told = error(&way.host(&format!("PATH={}:/usr/bin:/bin", bin.path().display())), &copying());
    assert!(told.contains("unladen 8.1.0 and speaks protocol 9"), "{told}");
    way.assert_nothing_is_left();
}

#[test]
fn a_program_that_does_not_start_there_is_told() {
    let way = Way::new();
    // A program whose interpreter is not there, as one that is linked to libraries in a bare container.
    let (mut bytes, interpreter) = (fs::read(stripped()).unwrap(), b"/lib64/ld-linux");
    let place = bytes.windows(interpreter.len()).position(|window| window == interpreter);
    let Some(place) = place else { panic!("this machine's loader is elsewhere") };
    bytes[place + 1] = b'X';
    let broken = tempfile::tempdir().unwrap();
    let path = broken.path().join("agent");
    fs::write(&path, bytes).unwrap();
    let told = error(&way.host(""), &SessionOptions { agent: Some(path), ..copying() });
    assert!(told.contains("does not start") && told.contains("make agent"), "{told}");
    way.assert_nothing_is_left();
}

#[test]
fn a_terminal_between_is_told() {
    let way = Way::new();
    // `script` puts a terminal between, as ssh -t does.
    let told = error(&way.host("script -qec sh /dev/null #"), &copying());
    assert!(told.contains("terminal") && told.contains("-t"), "{told}");
    way.assert_nothing_is_left();
}

#[test]
fn a_command_that_is_no_shell_is_told() {
    let way = Way::new();
    let told = error(&way.host("no-such-program"), &copying());
    assert!(told.contains("no-such-program") && told.contains("before a shell answered"), "{told}");
    let told = error(&way.host("cat"), &copying());
    assert!(told.contains("echo 'echo ok' |"), "{told}");
    way.assert_nothing_is_left();
}

// === Ends ===

#[test]
fn an_agent_that_is_killed_is_gone_with_its_last_words() {
    let way = Way::new();
    let session = Session::start(&way.host(""), &copying()).unwrap();
    session.measure_clock(1, soon()).unwrap();
    kill(way.agent(), Signal::SIGKILL).unwrap();
    let gone = session.recv(soon()).unwrap_err();
    assert!(matches!(gone, SessionError::Gone { .. }), "{gone}");
    assert!(session.measure_clock(1, soon()).is_err());
    drop(session);
    way.assert_nothing_is_left();
}

/// What came late was read in place of the answer to the next question, and the host lost its findings.
#[test]
fn a_late_answer_about_connections_is_not_taken_for_the_next_one() {
    let way = Way::new();
    let session = Session::start(&way.host("env"), &copying()).unwrap();
    let instrument = FarInstrument::open(session, GroupBy::Auto, soon()).unwrap();
    let agent = way.agent();
    let address = "127.0.0.1:1".parse().unwrap();
    kill(agent, Signal::SIGSTOP).unwrap();
    let at_once = Instant::now() + Duration::from_millis(20);
    let late = instrument.takers(&[address], at_once, &|| true).unwrap_err();
    assert!(matches!(late, SessionError::Late { .. }), "{late}");
    instrument.ask_asked(&[0]).unwrap();
    let unwanted = instrument.wait_asked(soon(), &|| false).unwrap_err();
    assert!(matches!(unwanted, SessionError::Late { .. }), "{unwanted}");
    kill(agent, Signal::SIGCONT).unwrap();
    assert_eq!(instrument.sees(&[], soon()).unwrap(), [false; 0]);
    assert_eq!(instrument.takers(&[address, address], soon(), &|| true).unwrap().len(), 2);
    drop(instrument);
    way.assert_nothing_is_left();
}

/// What came late of one page was read as the answer about the next, and the host was said to lie; and nobody heard
/// Ctrl-C while a host did not answer.
#[test]
fn a_host_that_is_late_with_evidence_is_asked_for_no_more_of_it() {
    let way = Way::new();
    let session = Session::start(&way.host("env"), &copying()).unwrap();
    let instrument = FarInstrument::open(session, GroupBy::Auto, soon()).unwrap();
    let session = instrument.session();
    let agent = way.agent();
    kill(agent, Signal::SIGSTOP).unwrap();
    let mut inspection = FarInspection::ask_attach(session, Vec::new()).unwrap();
    let unwanted = inspection.wait_attached(&Patience { deadline: soon(), is_wanted: &|| false }).unwrap_err();
    assert!(matches!(&unwanted, Unable::Lost(error) if error.is_late()), "{unwanted}");
    kill(agent, Signal::SIGCONT).unwrap();
    let no_more = FarInspection::ask_attach(session, Vec::new()).unwrap_err();
    assert_eq!(no_more.to_string(), unwanted.to_string());
    drop(instrument);
    way.assert_nothing_is_left();
}

#[test]
fn an_agent_that_is_stopped_is_late_and_goes_on() {
    let way = Way::new();
    let session = Session::start(&way.host(""), &copying()).unwrap();
    let mut instrument = FarInstrument::open(session, GroupBy::Auto, soon()).unwrap();
    let agent = way.agent();
    kill(agent, Signal::SIGSTOP).unwrap();
    instrument.ask_read().unwrap();
    let late = instrument.wait_read(Instant::now() + Duration::from_millis(50)).unwrap_err();
    assert!(late.is_late(), "{late}");
    kill(agent, Signal::SIGCONT).unwrap();
    instrument.read(soon()).unwrap();
    // One that stays stopped does not keep anything.
    kill(agent, Signal::SIGSTOP).unwrap();
    drop(instrument);
    way.assert_nothing_is_left();
}

/// The near side of the test after this one, in a process of its own that is killed.
#[test]
#[ignore = "a part of the test after it"]
fn a_near_side() {
    let Ok(command) = std::env::var("UNLADEN_TEST_COMMAND") else { return };
    let session = Session::start(&Host::new("there", &command).unwrap(), &copying()).unwrap();
    session.measure_clock(1, soon()).unwrap();
    println!("connected");
    loop {
        std::thread::sleep(LIMIT);
    }
}

#[test]
fn nothing_is_left_when_the_near_side_is_killed() {
    let way = Way::new();
    let mut near = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_near_side", "--ignored", "--nocapture"])
        .env("UNLADEN_TEST_COMMAND", way.host("").command)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = std::io::BufReader::new(near.stdout.take().unwrap());
    assert!(std::io::BufRead::lines(stdout).any(|line| line.unwrap().contains("connected")));
    assert!(!way.processes().is_empty());
    near.kill().unwrap();
    near.wait().unwrap();
    way.assert_nothing_is_left();
}

/// A copy that breaks off: whoever sent it is gone, or its connection.
#[test]
fn nothing_is_left_of_half_a_copy() {
    let way = Way::new();
    let cut = script(&way, "cut", "#!/bin/sh\ndd bs=4096 count=20 2>/dev/null | \"$@\"\n");
    let told = error(&way.host(cut.to_str().unwrap()), &copying());
    fs::remove_file(&cut).unwrap();
    assert!(told.contains("bytes of the agent arrived in"), "{told}");
    way.assert_nothing_is_left();
}

#[test]
fn what_is_changed_on_the_way_is_not_run() {
    let way = Way::new();
    let changed = script(&way, "changed", "#!/bin/sh\nstdbuf -o0 tr '\\001' '\\002' | \"$@\"\n");
    let told = error(&way.host(changed.to_str().unwrap()), &copying());
    fs::remove_file(&changed).unwrap();
    assert!(told.contains("were changed on the way"), "{told}");
    way.assert_nothing_is_left();
}

// === Peers that are none ===

/// A far side that starts as an agent and then says this, by printf(1).
fn impostor(way: &Way, frames: &str) -> (tempfile::TempDir, Session) {
    let bin = tempfile::tempdir().unwrap();
    let hello = format!("printf '\\021\\0\\0\\0UNLADEN\\n\\{PROTOCOL:03o}\\0\\0\\0000.1.0'");
    let own = format!("[ \"$2\" = --protocol ] && exec echo unladen-agent-protocol {PROTOCOL} 0.1.0");
    let text = format!("#!/bin/sh\n{own}\n{hello}\n{frames}\n");
    fs::rename(script(way, "unladen", &text), bin.path().join("unladen")).unwrap();
    let host = way.host(&format!("PATH={}:/usr/bin:/bin", bin.path().display()));
    (bin, Session::start(&host, &copying()).unwrap())
}

#[test]
fn an_impostor_that_says_nonsense_is_an_error() {
    for (frames, why) in [
        ("printf '\\377\\377\\377\\377'; cat", "bytes, but at most"),
        ("printf '\\003\\0\\0\\0abc'; cat", "no message of this protocol"),
        ("printf '\\003\\0\\0\\0a'", "in the middle of a frame"),
        ("exit 7", "ended"),
    ] {
        let way = Way::new();
        let (_bin, session) = impostor(&way, frames);
        let told = session.recv(soon()).unwrap_err().to_string();
        assert!(told.contains(why), "{frames}: {told}");
        drop(session);
        way.assert_nothing_is_left();
    }
}

#[test]
fn an_impostor_that_answers_what_was_not_asked_is_an_error() {
    let way = Way::new();
    // The second message of all: a pong, whose id and time are 1 and 1; the fourth would be of another kind.
    let (_bin, session) = impostor(&way, "printf '\\003\\0\\0\\0\\0\\001\\001'; cat >/dev/null");
    assert!(session.recv(Instant::now() + Duration::from_millis(50)).unwrap_err().is_late(), "pongs are no answers");
    assert_eq!(session.round_trips(), None, "and this one is none");
    drop(session);
    way.assert_nothing_is_left();
}

/// It writes without an end, and reads nothing: neither side's memory grows, and the session can be ended.
#[test]
fn an_endless_impostor_is_held_back() {
    let way = Way::new();
    let (_bin, session) = impostor(&way, "exec yes \"$(printf '\\003')\" | tr '\\n' '\\0' | cat");
    let answered = session.recv(soon());
    assert!(!matches!(answered, Ok(Answer::Pong { .. })), "{answered:?}");
    drop(session);
    way.assert_nothing_is_left();
}

/// A far side that takes nothing: questions are not queued without an end.
#[test]
fn a_silent_impostor_is_late() {
    let way = Way::new();
    let (_bin, session) = impostor(&way, "exec sleep 1000");
    session.send(&Ask::Ping { id: 1 }).unwrap();
    let late = session.recv(Instant::now() + Duration::from_millis(50)).unwrap_err();
    assert!(late.is_late(), "{late}");
    drop(session);
    way.assert_nothing_is_left();
}
