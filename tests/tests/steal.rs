//! A machine that is taken away for moments: by its hypervisor, which no machine does when asked, and by a CPU quota.
//!
//! A hypervisor that takes the processors stops everything at once. Here signals stop the program and its server, and a
//! file in place of /proc/stat has the steal that goes with that.
//!
//! Measures: CPU time against what is known of it, and how late requests are sent.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use unladen_tests::{Ability, Call, Document, Done, Quota, Running, ScriptServer, Server, skip_without};

/// A burst begins so often …
const EVERY: Duration = Duration::from_millis(3_000);
/// … and lasts so long: shorter than a block and a half, so that a third of the blocks is spoiled at most.
const BURST: Duration = Duration::from_millis(300);
/// In a burst the processors are gone for this part …
const GONE: Duration = Duration::from_millis(20);
/// … and there for this one: 40 % are stolen.
const THERE: Duration = Duration::from_millis(30);

/// A page that burns exactly 8 ms of CPU: after k requests the process's clock stands at its base + k · 8 ms, so that all
/// it does besides is inside.
const BURNS_8_MS: &str = r"
import sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
requests, base = 0, None
class Page(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        global requests, base
        if base is None: base = time.process_time()
        self.send_response(200)
        self.send_header('Content-Length', '3')
        self.end_headers()
        self.wfile.write(b'ok\n')
        requests += 1
        while time.process_time() < base + requests * 0.008: pass
    def log_message(self, *words): pass
ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Page).serve_forever()
";

/// A machine of two processors, of which one is wanted at all times, by its /proc/stat.
struct Machine {
    folder: tempfile::TempDir,
    begun: Instant,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap(), begun: Instant::now() };
        machine.tell(Duration::ZERO);
        machine
    }

    /// Writes what was stolen so far, whole or not at all.
    fn tell(&self, stolen: Duration) {
        let ticks = |time: Duration| time.as_millis() / 10;
        let (elapsed, stolen) = (ticks(self.begun.elapsed()), ticks(stolen));
        let (new, stat) = (self.folder.path().join("new"), self.folder.path().join("stat"));
        let busy = elapsed.saturating_sub(stolen);
        std::fs::write(&new, format!("cpu  {busy} 0 0 {elapsed} 0 0 0 {stolen} 0 0\ncpu0 0\ncpu1 0\n")).unwrap();
        std::fs::rename(new, stat).unwrap();
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Stops processes in bursts, and has the machine tell of it, until the call has ended.
fn rob(machine: Machine, pids: Vec<Pid>, is_over: Arc<AtomicBool>) -> JoinHandle<u32> {
    std::thread::spawn(move || {
        let (mut stolen, mut bursts) = (Duration::ZERO, 0);
        let mut next = Instant::now() + EVERY / 2;
        while !is_over.load(Ordering::Relaxed) {
            if Instant::now() < next {
                machine.tell(stolen);
                sleep(Duration::from_millis(5));
                continue;
            }
            let begun = Instant::now();
            while begun.elapsed() < BURST {
                let gone = Instant::now();
                pids.iter().for_each(|pid| _ = kill(*pid, Signal::SIGSTOP));
                sleep(GONE);
                stolen += gone.elapsed();
                machine.tell(stolen);
                pids.iter().for_each(|pid| _ = kill(*pid, Signal::SIGCONT));
                sleep(THERE);
                machine.tell(stolen);
            }
            bursts += 1;
            next += EVERY;
        }
        bursts
    })
}

/// Runs a call on a machine that is robbed, with these processes of it; says how many bursts there were.
fn robbed(call: Call, others: &[Pid]) -> (Done, u32) {
    let machine = Machine::new();
    let running: Running = call.env("UNLADEN_MACHINE_PROC", machine.path()).start();
    let is_over = Arc::new(AtomicBool::new(false));
    let pids = others.iter().copied().chain([running.pid()]).collect();
    let robber = rob(machine, pids, Arc::clone(&is_over));
    let done = running.wait();
    is_over.store(true, Ordering::Relaxed);
    (done, robber.join().unwrap())
}

fn unfit(document: &Document) -> String {
    let reasons = document.list("unfit");
    reasons.iter().filter_map(|reason| reason.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn steal_leaves_weights_as_they_are_and_spoiled_blocks_out() {
    let site = ScriptServer::python(BURNS_8_MS);
    let call = Call::weigh(["--no-findings", "--json", "--time", "8s", "--phase", "120ms", "--settle", "20ms"]);
    let (done, bursts) = robbed(call.args([site.url()]), &[site.pid()]);
    let document = done.succeeded().document();
    let machine = &document["machine"];
    let count = |name: &str| machine[name].as_u64().unwrap_or_else(|| panic!("{name}: {document}"));
    assert!(bursts >= 2 && count("spoiled_blocks") >= 1, "{bursts} bursts\n{document}");
    assert!(count("spoiled_blocks") * 2 <= count("blocks"), "{document}");
    let stolen = machine["stolen_share"].as_f64().unwrap();
    assert!((0.005..0.1).contains(&stolen), "{document}");
    assert!(document.warns("(steal)") && document.warns("left out"), "{document}");

    let weight = document.weight(site.name(), "cpu");
    assert_eq!(document["urls"][0]["blocks"], count("blocks") - count("spoiled_blocks"), "{document}");
    let truth = 8e6;
    assert!(weight.low <= truth * 1.01 && truth * 0.99 <= weight.high, "{weight:?}");
    assert!((weight.per_request / truth - 1.0).abs() < 0.03, "{weight:?}");
}

#[test]
fn a_load_names_steal_where_it_was_late_because_of_it() {
    let server = Server::good();
    let call = Call::load(["--json", "--rate", "200", "-t", "4s", &server.url("/")]);
    let (done, bursts) = robbed(call, &[]);
    let document = done.succeeded().document();
    assert!(bursts >= 1 && document["fit"] == false, "{bursts} bursts\n{document}");
    let unfit = unfit(&document);
    assert!(unfit.contains("(steal)") && !unfit.contains("a core of its own"), "{unfit}");
    assert!(document["machine"]["stolen_share"].as_f64().unwrap() > 0.0, "{document}");
    assert!(document["machine"]["blocks"].is_null(), "{document}");
}

/// The same lateness on a machine from which nothing is stolen.
#[test]
fn a_load_without_steal_wants_a_core_of_its_own() {
    let server = Server::good();
    let machine = Machine::new();
    let call = Call::load(["--json", "--rate", "200", "-t", "3s", &server.url("/")]);
    let running = call.env("UNLADEN_MACHINE_PROC", machine.path()).start();
    sleep(Duration::from_millis(1_500));
    running.signal(Signal::SIGSTOP);
    sleep(BURST);
    machine.tell(Duration::ZERO);
    running.signal(Signal::SIGCONT);
    let document = running.wait().succeeded().document();
    let unfit = unfit(&document);
    assert!(unfit.contains("a core of its own") && !unfit.contains("(steal)"), "{unfit}\n{document}");
    assert_eq!(document["machine"]["stolen_share"], 0.0, "{document}");
}

#[test]
fn a_load_names_the_quota_that_held_it_back() {
    let test = "a_load_names_the_quota_that_held_it_back";
    if skip_without(Ability::CpuQuota, test) {
        return;
    }
    let (server, quota) = (Server::good(), Quota::new().unwrap());
    // Threads of real-time priority have no quota. Without that it would be late on a busy machine at all times.
    let through = "exec nice -n -15 setpriv --bounding-set -sys_nice -- \"$@\"";
    let script = format!("echo $$ > {} && {through}", quota.procs().display());
    let call = Call::load(["--json", "--rate", "200", "-t", "4s", &server.url("/")]).through_shell(&script);
    let running = call.start();
    for _ in 0..2 {
        sleep(Duration::from_millis(1_300));
        quota.set(Some(1_000));
        sleep(Duration::from_millis(400));
        quota.set(None);
    }
    let document = running.wait().succeeded().document();
    assert!(document["machine"]["throttled_ns"].as_u64().unwrap() > 0, "{document}");
    let unfit = unfit(&document);
    assert!(unfit.contains("(throttling)") && unfit.contains("cpu.max"), "{unfit}\n{document}");
    assert!(!unfit.contains("a core of its own"), "{unfit}");
}
