//! The agent on other hosts: over SSH, in namespaces, behind a root folder of its own.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use unladen_agent::{FarInstrument, Host, Session, SessionError, SessionOptions};
use unladen_probe::{Group, GroupBy, GroupKind};
use unladen_tests::{Ability, Namespace, Sshd, agent, binary, skip_without, wait};

/// Far above what anything takes.
const LIMIT: Duration = Duration::from_secs(60);

/// What the agent may hold of memory, in KiB.
const MEMORY_KIB: u64 = 15 << 10;

fn soon() -> Instant {
    Instant::now() + LIMIT
}

fn host(command: &str) -> Host {
    Host::new("there", command).unwrap()
}

/// A way on which a copied agent leaves its files in this folder, if it leaves any, and its processes this mark.
fn marked(way: &str, folder: &Path) -> String {
    format!("{way} env UNLADEN_TEST_OF={0} TMPDIR={0} PATH=/usr/sbin:/usr/bin:/sbin:/bin", folder.display())
}

fn copying() -> SessionOptions {
    SessionOptions { agent: Some(agent().to_owned()), connect_timeout: LIMIT, ..SessionOptions::default() }
}

/// The processes with this folder's mark.
fn processes(folder: &Path) -> Vec<Pid> {
    let wanted = format!("UNLADEN_TEST_OF={}", folder.display());
    let pids = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has_mark = |pid: &i32| {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    pids.filter(has_mark).map(Pid::from_raw).collect()
}

fn assert_nothing_is_left(folder: &Path) {
    wait::until("all its processes have ended", || processes(folder).is_empty());
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0, "files are left in {}", folder.display());
}

fn told(command: &str) -> String {
    Session::start(&host(command), &copying()).unwrap_err().to_string()
}

// === SSH ===

#[test]
fn over_ssh_an_agent_is_copied_counts_and_leaves_nothing() {
    if skip_without(Ability::PrivateMounts, "the agent over ssh") {
        return;
    }
    let sshd = Sshd::start();
    for name in ["there", "behind"] {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::start(&host(&marked(&sshd.way(name), folder.path())), &copying()).unwrap();
        let clock = session.measure_clock(5, soon()).unwrap();
        assert!(clock.offset_ns.unsigned_abs() <= clock.uncertainty_ns, "{clock:?}");
        // By process, as other servers of SSH may be at work on this machine, such as those of other tests.
        let mut instrument = FarInstrument::open(session, GroupBy::Pid, soon()).unwrap();
        let reading = instrument.read(soon()).unwrap();
        let sessions: Vec<String> = sshd.sessions().iter().map(|pid| format!(" {pid}")).collect();
        assert!(!sessions.is_empty());
        let cpu = instrument.counters().iter().position(|counter| counter.name == "cpu").unwrap();
        let grew = |is_it: &dyn Fn(&Group) -> bool| {
            reading.grown.iter().any(|(group, counter, _)| *counter == cpu && is_it(&instrument.groups()[*group]))
        };
        // The server of this session has just carried the reading before; that of the bastion is another session's.
        let own = "unladen (its way)";
        assert!(grew(&|group| group.kind == GroupKind::Own && group.name == own), "{reading:?}");
        let is_session = |group: &Group| sessions.iter().any(|pid| group.name.ends_with(pid));
        assert_eq!(grew(&is_session), name == "behind", "{sessions:?} {reading:?}");
        drop(instrument);
        assert_nothing_is_left(folder.path());
    }
    // The connections ended too.
    wait::until("the sessions of ssh have ended", || sshd.sessions().is_empty());
}

#[test]
fn what_ssh_says_is_told() {
    if skip_without(Ability::PrivateMounts, "what ssh says") {
        return;
    }
    let sshd = Sshd::start();
    let refused = told(&sshd.way("-p 1 there"));
    assert!(refused.contains("Connection refused") && refused.contains("255"), "{refused}");
    // A user without a shell says so on stdout.
    let no_shell = told(&sshd.way("nobody@there"));
    assert!(no_shell.contains("not available"), "{no_shell}");
    let denied = told(&sshd.way("-o PubkeyAuthentication=no there"));
    assert!(denied.contains("Permission denied") && denied.contains("echo 'echo ok' |"), "{denied}");
    let terminal = told(&sshd.way("-tt there"));
    assert!(terminal.contains("remove `-t`"), "{terminal}");
}

#[test]
fn a_connection_that_is_cut_ends_both_sides() {
    if skip_without(Ability::PrivateMounts, "ends over ssh") {
        return;
    }
    let sshd = Sshd::start();
    let folder = tempfile::tempdir().unwrap();
    let command = host(&marked(&sshd.way("there"), folder.path()));
    let session = Session::start(&command, &copying()).unwrap();
    session.measure_clock(1, soon()).unwrap();
    for pid in sshd.sessions() {
        kill(pid, Signal::SIGKILL).unwrap();
    }
    let gone = session.recv(soon()).unwrap_err();
    assert!(matches!(gone, SessionError::Gone { .. }), "{gone}");
    drop(session);
    assert_nothing_is_left(folder.path());

    // The agent itself, by a process of the far side.
    let session = Session::start(&command, &copying()).unwrap();
    session.measure_clock(1, soon()).unwrap();
    let is_agent =
        |pid: &&Pid| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm == "unladen-agent\n");
    kill(*processes(folder.path()).iter().find(is_agent).unwrap(), Signal::SIGKILL).unwrap();
    assert!(matches!(session.recv(soon()).unwrap_err(), SessionError::Gone { .. }));
    drop(session);
    assert_nothing_is_left(folder.path());
}

// === Namespaces ===

#[test]
fn in_a_network_namespace_its_own_packets_are_counted() {
    if skip_without(Ability::PrivateMounts, "the agent in a network namespace") {
        return;
    }
    let namespace = Namespace::new();
    let bin = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(binary(), bin.path().join("unladen")).unwrap();
    let command = format!("{} env PATH={}:/usr/bin:/bin", namespace.way(), bin.path().display());
    let options = SessionOptions { copy: false, ..copying() };
    let session = Session::start(&host(&command), &options).unwrap();
    assert_eq!(session.path(), bin.path().join("unladen").to_str().unwrap());
    let mut instrument = FarInstrument::open(session, GroupBy::Auto, soon()).unwrap();
    // A connection within this test's own namespace is not seen there.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    instrument.read(soon()).unwrap();
    for _ in 0..5 {
        drop(std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap());
        drop(listener.accept().unwrap());
    }
    let reading = instrument.read(soon()).unwrap();
    let opened = |(_, counter, _): &&(usize, usize, u64)| instrument.counters()[*counter].name == "tcp_opened";
    assert_eq!(reading.grown.iter().find(opened), None);
}

/// A process in namespaces of its own, as in a container.
struct Contained {
    child: Child,
}

impl Contained {
    /// With a private mount of /tmp that is mounted so, besides all that is here but for `/work` and the like.
    fn start(mounts: &str) -> Self {
        let script = format!("{mounts}\necho ready; exec sleep 1000");
        let mut child = Command::new("unshare")
            .args(["--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc", "sh", "-ec", &script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
        assert_eq!(line, "ready\n");
        Self { child }
    }

    /// The way there, and the PATH that a container's programs have.
    fn way(&self) -> String {
        let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", self.child.id())).unwrap();
        format!("nsenter -t {} -m -p -n env HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin", children.trim())
    }
}

impl Drop for Contained {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const NOEXEC: &str = "for f in /tmp /var/tmp /dev/shm /root /run; do mount -t tmpfs -o noexec none $f; done";

#[test]
fn in_a_container_its_own_processes_are_counted() {
    if skip_without(Ability::PrivateMounts, "the agent in a container") {
        return;
    }
    let container = Contained::start("mount -t tmpfs none /tmp");
    let session = Session::start(&host(&container.way()), &copying()).unwrap();
    assert_eq!(session.path(), "copied");
    let mut instrument = FarInstrument::open(session, GroupBy::Exe, soon()).unwrap();
    instrument.read(soon()).unwrap();
    let groups: Vec<&str> = instrument.groups().iter().map(|group| group.name.as_str()).collect();
    // The sleep is idle and is in no reading; whoever is, is of that namespace.
    assert!(groups.len() <= 6, "{groups:?}");
}

#[test]
fn folders_where_nothing_may_run_are_passed_by() {
    if skip_without(Ability::PrivateMounts, "the agent where nothing may run") {
        return;
    }
    let container = Contained::start(NOEXEC);
    let told = told(&container.way());
    assert!(told.contains("/tmp /var/tmp /dev/shm") && told.contains("noexec") && told.contains("TMPDIR"), "{told}");
    let container = Contained::start(&format!("{NOEXEC}; mount -t tmpfs none /run"));
    let session = Session::start(&host(&container.way()), &copying()).unwrap();
    session.measure_clock(1, soon()).unwrap();
}

#[test]
fn a_file_system_that_is_full_is_told() {
    if skip_without(Ability::PrivateMounts, "the agent where no room is") {
        return;
    }
    let container = Contained::start("mount -t tmpfs -o size=100k none /tmp");
    let told = told(&container.way());
    assert!(told.contains("bytes of the agent arrived in /tmp") && told.contains("full"), "{told}");
}

// === The command ===

#[test]
fn the_command_says_hello_and_ends_with_its_pipe() {
    let mut child = Command::new(binary()).arg("agent").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.as_mut().unwrap().flush().unwrap();
    drop(child.stdin.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success());
    assert!(done.stdout[4..].starts_with(b"UNLADEN\n\x03\0\0\0"), "{:?}", done.stdout);
    let line = Command::new(binary()).args(["agent", "--protocol"]).output().unwrap().stdout;
    let of_agent = Command::new(agent()).args(["agent", "--protocol"]).output().unwrap().stdout;
    assert_eq!(line, of_agent);
}

#[test]
fn the_agent_takes_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let session = Session::start(&host(&marked("", folder.path())), &copying()).unwrap();
    let mut instrument = FarInstrument::open(session, GroupBy::Auto, soon()).unwrap();
    for _ in 0..20 {
        instrument.read(soon()).unwrap();
    }
    let status = |pid: &Pid| fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let all = processes(folder.path());
    let agent = all.iter().map(status).find(|status| status.starts_with("Name:\tunladen-agent\n")).unwrap();
    let peak = agent.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < MEMORY_KIB, "{peak} KiB");
    drop(instrument);
    assert_nothing_is_left(folder.path());
}
