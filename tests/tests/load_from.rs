//! Loads that several hosts send together. The hosts are agents of this machine, reached by commands that end in a shell.

use std::collections::BTreeMap;
use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use unladen_tests::{Ability, Call, Document, Server, binary, skip_without};

/// A way to an agent of this program, whose processes can be told by the mark.
fn way(through: &str, mark: &str) -> String {
    let folder = binary().parent().expect("the program is in a folder").display();
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{through} env UNLADEN_TEST_AGENT={mark} PATH='{folder}:{path}'")
}

fn mark(test: &str) -> String {
    format!("{test}-{}", std::process::id())
}

/// `unladen load` from hosts a and b.
fn from(a: &str, b: &str) -> Call {
    Call::load(["--no-copy", "--from", &format!("a={a}"), "--from", &format!("b={b}")])
}

/// Signals the agent with this mark.
fn signal(mark: &str, signal: Signal) {
    let wanted = format!("UNLADEN_TEST_AGENT={mark}");
    let pids = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_marked = |pid: &i32| {
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let found: Vec<i32> = pids.filter(is_marked).collect();
    assert!(!found.is_empty(), "no process has the mark {mark}");
    for pid in found {
        kill(Pid::from_raw(pid), signal).unwrap();
    }
}

fn agent<'a>(document: &'a Document, name: &str) -> &'a serde_json::Value {
    document
        .list("agents")
        .iter()
        .find(|agent| agent["name"] == name)
        .unwrap_or_else(|| panic!("no {name}: {document}"))
}

/// How often each path was asked for.
fn asked(server: &Server) -> BTreeMap<String, usize> {
    let mut asked = BTreeMap::new();
    for request in server.received() {
        *asked.entry(request.line.split(' ').nth(1).unwrap_or_default().to_owned()).or_default() += 1;
    }
    asked
}

#[test]
fn hosts_send_together_what_one_would_send() {
    let pages = tempfile::NamedTempFile::new().unwrap();
    let run = |call: Call| {
        let server = Server::good();
        fs::write(pages.path(), format!("1 {}\n2.5 {}\n4 {}\n", server.url("/a"), server.url("/b"), server.url("/c")))
            .unwrap();
        let call = call.args(["--arrivals", "poisson", "--seed", "7", "--rate", "400", "-n", "301", "--urls"]);
        let document = call.args([pages.path()]).document();
        (document, asked(&server))
    };
    let (_, mut here) = run(Call::load([""; 0]));
    let records = tempfile::NamedTempFile::new().unwrap();
    let (document, mut there) = run(from(&way("", &mark("together-a")), &way("", &mark("together-b")))
        .args(["--record"])
        .args([records.path()]));
    // Each page was tried once by whoever sends.
    here.values_mut().for_each(|count| *count -= 1);
    there.values_mut().for_each(|count| *count -= 2);
    assert_eq!(there, here);
    assert_eq!((document.number("planned"), document.number("requests")), (301.0, 301.0), "{document}");
    let counts = ["a", "b"].map(|name| agent(&document, name)["requests"].as_u64().unwrap());
    assert_eq!(counts, [151, 150]);

    let again = Call::load(["--from"]).args([records.path()]).document();
    for field in ["planned", "requests", "latency_ns", "latency_intervals_ns", "by_request", "timeline", "within"] {
        assert_eq!(again[field], document[field], "{field}");
    }
}

#[test]
fn an_agent_that_is_killed_is_told_with_what_is_missing_and_leaves_the_other_whole() {
    let (server, killed) = (Server::good(), mark("killed"));
    let call = from(&way("", &mark("whole")), &way("", &killed));
    let running = call.args(["--rate", "100", "-t", "6s", "--json", &server.url("/")]).start();
    server.wait_for_requests(150);
    signal(&killed, Signal::SIGKILL);
    let done = running.wait().ended_with(4);
    let document = done.document();
    assert_eq!(document.number("planned"), 600.0, "{document}");
    let (a, b) = (agent(&document, "a"), agent(&document, "b"));
    assert_eq!((a["requests"].as_u64(), a["missing"].as_u64(), a["lost"].is_null()), (Some(300), Some(0), true));
    let (told, missing) = (b["requests"].as_u64().unwrap(), b["missing"].as_u64().unwrap());
    assert_eq!(told + missing, 300, "{document}");
    assert!(told > 0 && missing > 0, "{document}");
    assert_eq!(document.number("missing"), missing as f64);
    let at = b["lost"]["at_ns"].as_f64().unwrap();
    assert!(at > 0.0 && at < 6e9, "{document}");
    assert_eq!((&document["fit"], &b["fit"]), (&false.into(), &false.into()));
    let unfit = document["unfit"].to_string();
    assert!(unfit.contains("agent b was lost") && unfit.contains("of its planned requests are missing"), "{unfit}");
    assert!(!unfit.contains("agent a was lost"), "{unfit}");
}

#[test]
fn an_agent_that_says_nothing_is_lost() {
    let (server, silent) = (Server::good(), mark("silent"));
    let call = from(&way("", &mark("speaking")), &way("", &silent));
    let running = call.args(["--rate", "100", "-t", "2s", &server.url("/")]).start();
    server.wait_for_requests(50);
    signal(&silent, Signal::SIGSTOP);
    let done = running.wait().ended_with(4);
    done.shows(["UNFIT: an agent was lost", "agent b was lost", "it said nothing for 10 s", "lost after"]);
}

/// Passes on what comes, later.
const RELAY: &str = r#"
import os, queue, subprocess, sys, threading, time
delay = float(sys.argv[1])
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def relay(source, to):
    waiting = queue.Queue()
    def write():
        while True:
            due, data = waiting.get()
            time.sleep(max(0, due - time.monotonic()))
            if not data:
                os.close(to)
                return
            try:
                while data:
                    data = data[os.write(to, data):]
            except OSError:
                return
    writer = threading.Thread(target=write)
    writer.start()
    while True:
        data = os.read(source, 65536)
        waiting.put((time.monotonic() + delay, data))
        if not data:
            return writer
there = threading.Thread(target=lambda: relay(0, os.dup(child.stdin.fileno())).join(), daemon=True)
there.start()
child.stdin.close()
relay(child.stdout.fileno(), 1).join()
sys.exit(child.wait())
"#;

#[test]
fn a_slow_way_to_an_agent_makes_nothing_late_and_is_told() {
    let server = Server::good();
    let relay = tempfile::NamedTempFile::new().unwrap();
    fs::write(relay.path(), RELAY).unwrap();
    let slow = way(&format!("python3 {} 0.15", relay.path().display()), &mark("slow"));
    let document =
        from(&way("", &mark("near")), &slow).args(["--rate", "200", "-t", "2s", &server.url("/")]).document();
    assert_eq!((document.number("planned"), document.number("requests")), (400.0, 400.0), "{document}");
    let b = agent(&document, "b");
    assert_eq!(b["requests"], 200);
    assert!(b["round_trip_ns"].as_f64().unwrap() >= 3e8, "{document}");
    assert!(b["start_uncertainty_ns"].as_f64().unwrap() >= 1.5e8, "{document}");
    assert_it_did_not_drift(b);
}

/// Both clocks are the one of this machine, and an offset from it stays.
fn assert_it_did_not_drift(agent: &serde_json::Value) {
    let (ns, uncertainty) = (&agent["drift"]["ns"], &agent["drift"]["uncertainty_ns"]);
    assert!(ns.as_i64().unwrap().unsigned_abs() <= uncertainty.as_u64().unwrap(), "{agent}");
}

#[test]
fn a_clock_a_minute_ahead_changes_nothing() {
    if skip_without(Ability::Root, "a clock a minute ahead") {
        return;
    }
    let server = Server::good();
    let ahead = way("unshare --time --monotonic 60 --fork", &mark("ahead"));
    let behind = way("", &mark("behind"));
    let document = from(&behind, &ahead).args(["--rate", "200", "-t", "2s", &server.url("/")]).document();
    assert_eq!((document.number("planned"), document.number("requests")), (400.0, 400.0), "{document}");
    assert!(document.number("elapsed_ns") < 30e9, "{document}");
    for name in ["a", "b"] {
        assert_eq!(agent(&document, name)["requests"], 200);
        assert_it_did_not_drift(agent(&document, name));
    }
}

#[test]
fn a_closed_loop_is_shared() {
    let server = Server::good();
    let document = from(&way("", &mark("loop-a")), &way("", &mark("loop-b")))
        .args(["-c", "3", "-n", "101", &server.url("/")])
        .document();
    assert_eq!((document.number("requests"), document.number("concurrency")), (101.0, 3.0), "{document}");
    let counts = ["a", "b"].map(|name| agent(&document, name)["requests"].as_u64().unwrap());
    assert_eq!(counts, [51, 50]);
    assert_eq!(server.received().len(), 103, "each tried one");

    let few = from("env", "env").args(["-c", "1", "-n", "10", &server.url("/")]);
    few.run().ended_with(2).says(["concurrency", "at least one request under way for each host"]);
}

#[test]
fn a_mistake_is_told_at_once_with_the_name_of_the_host() {
    let (good, bad) = (way("", &mark("mistake-a")), way("", &mark("mistake-b")));
    let server = Server::replying(|_| unladen_tests::Reply::text("404 Not Found", "no"));
    let done = from(&good, &bad).args(["--rate", "10", "-t", "60s", &server.url("/")]).run().ended_with(4);
    done.says(["agent a", "404"]);

    let unreachable = format!("http://{}/", unladen_tests::free_address());
    let done = from(&good, &bad).args(["--rate", "10", "-t", "60s", &unreachable]).run().ended_with(3);
    done.says(["agent a"]);

    let server = Server::good();
    let done = from(&good, "unladen-no-such-command").args(["--rate", "10", &server.url("/")]).run().ended_with(3);
    done.says(["host b", "unladen-no-such-command"]);
}

#[test]
fn an_interrupted_load_of_hosts_ends_everywhere() {
    let server = Server::good();
    let call = from(&way("", &mark("ended-a")), &way("", &mark("ended-b")));
    let running = call.args(["--rate", "100", "-t", "10min", "--json", &server.url("/")]).start();
    server.wait_for_requests(60);
    running.interrupt();
    let document = running.wait().ended_with(130).document();
    assert_eq!((&document["ended"], document.number("missing")), (&"interrupted".into(), 0.0), "{document}");
    assert!(document.number("requests") >= 50.0, "{document}");
}
