//! `unladen weigh --host`: what a request costs on another machine, read over a way that takes a while.
//!
//! The other machine is a PID namespace with a /proc of its own; what leads there, for requests and for the agent, takes
//! 20 ms there and back, more or less. Its server burns a known CPU time, beside bursts of other work on both sides.
//!
//! Measures: CPU time on another machine against what is known of it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use unladen_tests::{Ability, Call, Document, Lab, Subject, binary, skip_without, wait};

/// What a request burns there, in the server and in a child of it, ms.
const BURNS: (f64, f64) = (9.0, 3.0);

/// Gives stdin and stdout of a command over a way of 10 ± 1 ms each.
const WAY: &str = r#"
import os, queue, random, subprocess, sys, threading, time
command = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def carry(source, sink, end):
    waiting = queue.Queue()
    def write():
        while True:
            due, data = waiting.get()
            time.sleep(max(0, due - time.monotonic()))
            if not data: break
            try:
                while data: data = data[os.write(sink, data):]
            except OSError: break
        end()
    writer = threading.Thread(target=write); writer.start()
    while True:
        data = os.read(source, 65536)
        waiting.put((time.monotonic() + random.gauss(0.010, 0.0007), data))
        if not data: return writer
there = threading.Thread(target=lambda: carry(0, command.stdin.fileno(), command.stdin.close).join(), daemon=True)
there.start()
carry(command.stdout.fileno(), 1, lambda: None).join()
os._exit(command.wait())
"#;

/// Half a burst, half a pause, of random lengths; in a process of its own.
const BURSTS: &str = "while :; do i=$((10000 + $(od -An -N2 -tu2 /dev/urandom) * 2)); while [ $i -gt 0 ]; do i=$((i - 1)); done; \
                      sleep 0.$(($(od -An -N1 -tu1 /dev/urandom) % 5 + 1)); done";

/// The other machine.
struct There {
    /// `unshare`, whose child is the first process there.
    shell: Child,
    bursts: Child,
    address: SocketAddr,
}

impl There {
    fn start(lab: &Lab) -> Self {
        let (own, child) = (BURNS.0.to_string(), BURNS.1.to_string());
        let script = format!("({BURSTS}) & exec \"$@\"");
        let mut command = Command::new("unshare");
        command.args(["--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", &script, "sh"]);
        command.arg(lab.path("embers")).args(["--own", &own, "--child", &child, "--lifetime", "170", "--url-file"]);
        let nothing = || (Stdio::null(), Stdio::null(), Stdio::null());
        let (stdin, stdout, stderr) = nothing();
        let shell = command.arg(lab.path("url")).stdin(stdin).stdout(stdout).stderr(stderr).spawn().unwrap();
        let (stdin, stdout, stderr) = nothing();
        let mut bursts = Command::new("sh");
        let bursts = bursts.args(["-c", BURSTS]).stdin(stdin).stdout(stdout).stderr(stderr).spawn().unwrap();
        lab.wait_until("url", "/\n");
        let url = lab.read("url");
        let address = url.trim().trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
        Self { shell, bursts, address }
    }

    /// Of the first process there.
    fn pid(&self) -> u32 {
        let id = self.shell.id();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
        children.split_ascii_whitespace().next().unwrap().parse().unwrap()
    }

    /// The option that leads there.
    fn host(&self, way: &Path) -> String {
        let folder = binary().parent().unwrap().display().to_string();
        let pid = self.pid();
        format!("db=python3 {} env PATH={folder}:/usr/sbin:/usr/bin:/sbin:/bin nsenter -t {pid} -p -m", way.display())
    }
}

impl Drop for There {
    fn drop(&mut self) {
        for child in [&mut self.shell, &mut self.bursts] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Takes connections to `to`, over a way of 10 ± 1 ms each; for as long as the test's process lives.
fn delayed(to: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(to) else { continue };
            let (back, there) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            thread::spawn(move || carry(client, there));
            thread::spawn(move || carry(server, back));
        }
    });
    address
}

fn carry(mut from: TcpStream, mut to: TcpStream) {
    let (sender, waiting) = channel::<(Instant, Vec<u8>)>();
    let _ = to.set_nodelay(true);
    thread::spawn(move || {
        for (due, data) in waiting {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if to.write_all(&data).is_err() {
                return;
            }
        }
        let _ = to.shutdown(std::net::Shutdown::Write);
    });
    let mut buffer = [0; 16 * 1024];
    let mut step = 0_u64;
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        // From 9 to 11 ms.
        step = (step + 617) % 2_000;
        let due = Instant::now() + Duration::from_micros(9_000 + step);
        if sender.send((due, buffer[..count].to_vec())).is_err() {
            return;
        }
    }
}

/// By another process: see `ScriptServer`, whose programs are copied so too.
fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("--").args([from, to]).status().unwrap().success());
}

fn lab() -> Lab {
    let lab = Lab::new();
    let subject = Subject::up("burn");
    let state = Path::new(subject.get("UNLADEN_STATE")).join("burn");
    copy(&state.join("burn"), &lab.path("embers"));
    copy(&state.join("burn-child"), &lab.path("burn-child"));
    lab.write("way.py", WAY);
    lab
}

fn weigh(lab: &Lab, there: &There, time: &str) -> Call {
    let url = format!("http://{}/", delayed(there.address));
    Call::weigh([
        "--no-findings",
        "--group-by",
        "exe",
        "--time",
        time,
        "--json",
        "--host",
        &there.host(&lab.path("way.py")),
    ])
    .args([url])
}

fn row<'a>(document: &'a Document, group: &str) -> &'a serde_json::Value {
    let rows = document.list("weights").iter().filter(|row| row["counter"] == "cpu");
    rows.into_iter().find(|row| row["group"] == group).unwrap_or_else(|| panic!("no CPU of {group} in\n{document}"))
}

#[test]
fn a_known_cost_on_another_machine_is_weighed_right_beside_bursts_on_both() {
    if skip_without(Ability::PrivateMounts, "a host behind a slow way") {
        return;
    }
    let lab = lab();
    let there = There::start(&lab);
    let document = weigh(&lab, &there, "24s").run().succeeded().document();
    let host = &document.list("hosts")[0];
    assert_eq!((&host["name"], &host["kind"]), (&"db".into(), &"host".into()), "{document}");
    assert!(host["round_trip_ns"].as_u64().unwrap() >= 15_000_000, "{host}");
    assert_eq!(host["blocks"], document["urls"][0]["blocks"], "{document}");
    let cpu = row(&document, "db/root embers");
    assert_eq!((&cpu["host"], &cpu["follows"]), (&"db".into(), &true.into()), "{cpu}");
    // The namespace has no records of ended processes, so that a child counts with its parent there; here, each by itself.
    let truth: f64 = ["root embers", "root burn-child"]
        .iter()
        .map(|group| row(&document, group)["per_request"].as_f64().unwrap())
        .sum();
    let there = cpu["per_request"].as_f64().unwrap();
    println!("the server there: {:.3} ms; here {:.3} ms", there / 1e6, truth / 1e6);
    assert!(there >= (BURNS.0 + BURNS.1) * 0.98 * 1e6, "{cpu}");
    assert!((there / truth - 1.0).abs() < 0.05, "{cpu}\n{document}");
    assert!(!document.to_string().contains("is not this machine"), "{document}");
}

#[test]
fn a_host_that_goes_away_is_told_and_leaves_this_machine_whole() {
    if skip_without(Ability::PrivateMounts, "a host that goes away") {
        return;
    }
    let lab = lab();
    let there = There::start(&lab);
    let mark = lab.path("way.py").display().to_string();
    let running = weigh(&lab, &there, "14s").start();
    // The way there, once it is in use, breaks.
    let way = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        pids.filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            // By whatever name it was found; the shell that started it has all of this in one word.
            let program = line.split('\0').next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
            program.starts_with("python3") && line.contains(&mark)
        })
        .collect::<Vec<_>>()
    };
    wait::until("the way is in use", || !way().is_empty());
    thread::sleep(Duration::from_secs(4));
    for pid in way() {
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL).unwrap();
    }
    let document = running.wait().succeeded().document();
    assert!(document.list("hosts")[0]["gone"].is_string(), "{document}");
    let warnings = document.list("warnings").iter().filter_map(|warning| warning.as_str());
    assert_eq!(warnings.filter(|warning| warning.starts_with("db went away: ")).count(), 1, "{document}");
    let blocks = document["urls"][0]["blocks"].as_u64().unwrap();
    assert!(document.list("hosts")[0]["blocks"].as_u64().unwrap() < blocks && blocks >= 6, "{document}");
}
