//! Experiments whose requests other hosts send.

use std::time::Duration;

use nix::sys::signal::Signal;
use unladen_tests::{Call, Lab, Reply, Server};

use crate::way::{agent, mark, relay, script, signal, way};

/// Stops whoever has phases begin, before it has read its counters.
const STOP: &str = include_str!("stop.py");

/// A server whose page `/slow` takes twice as long as its others.
fn server() -> Server {
    const PAGE: Duration = Duration::from_millis(10);
    Server::replying(|asked| {
        let factor = if asked.request.line.contains("/slow") { 2 } else { 1 };
        std::thread::sleep(PAGE * factor);
        Reply::good()
    })
}

fn experiment(server: &Server, load: &str) -> String {
    let knob = format!("[[knob]]\nname = \"slow\"\non = {{ url = \"{}\" }}\n", server.url("/slow"));
    format!("url = \"{}\"\n[load]\n{load}\n{knob}", server.url("/"))
}

const PHASES: &str = "time = \"1s\"\nphase = \"150ms\"\nwarmup = \"10ms\"";

#[test]
fn a_change_is_told_by_requests_that_hosts_send_together() {
    let server = server();
    let (a, b) = (way("", &mark("prove-a")), way("", &mark("prove-b")));
    let from = format!("from = [\"a={a}\", \"b={b}\"]");
    let lab = Lab::of(&experiment(&server, &format!("rate = 60\n{PHASES}\n{from}")));
    let document = lab.prove().args(["--no-copy", "--no-weights"]).document();
    let compared = document.compared("slow", "latency.p50");
    assert!(compared.ratio > 1.5 && compared.ratio < 2.5, "{document}");
    assert_eq!(compared.verdict, "slower", "{document}");
    // Of each phase's nine requests, the first host has one more.
    let counts = ["a", "b"].map(|name| agent(&document, name)["requests"].as_u64().unwrap());
    assert!(counts[0] > counts[1] && counts[1] > 0, "{document}");
    let of_arms: u64 = document.list("arms").iter().map(|arm| arm["requests"].as_u64().unwrap()).sum();
    assert_eq!(counts.iter().sum::<u64>(), of_arms, "{document}");
    assert!(agent(&document, "a")["send_lag_ns"]["p99"].as_u64().unwrap() > 0, "{document}");
}

/// A way is as busy as there are requests: counted, its work would pass for the server's.
#[test]
fn what_leads_to_the_hosts_is_in_no_weight() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    // Under a name that no other process has.
    let carrier = folder.path().join("busy-way");
    let python =
        std::process::Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    std::fs::copy(String::from_utf8(python.stdout).unwrap().trim(), &carrier).unwrap();
    let relay = relay();
    let through = format!("{} {} later 0.001", carrier.display(), relay.path().display());
    let from = format!("from = [\"a={}\"]", way(&through, &mark("prove-carried")));
    let lab = Lab::of(&experiment(&server, &format!("rate = 60\n{PHASES}\n{from}")));
    let document = lab.prove().args(["--no-copy"]).document();
    let groups: Vec<&str> = document.list("comparisons").iter().filter_map(|row| row["group"].as_str()).collect();
    assert!(groups.iter().any(|group| group.contains("load_from")), "the server is in this process: {groups:?}");
    assert!(!groups.iter().any(|group| group.contains("busy-way")), "{groups:?}");
}

/// What agents sent while the counters were still being read was in no count of them. That the reading takes so long is
/// brought about by stopping this program amid it.
#[test]
fn a_phase_that_agents_began_before_the_counters_were_read_is_sent_again() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    let begun = folder.path().join("begun");
    let stop = script(STOP);
    // Longer than the start lies ahead, which is a tenth of a second on a way without a delay.
    let through = format!("python3 {} {} 0.3 150000000", stop.path().display(), begun.display());
    let from = format!("from = [\"a={}\"]", way(&through, &mark("prove-stopped")));
    let lab = Lab::of(&experiment(&server, &format!("rate = 60\n{PHASES}\n{from}")));
    let document = lab.prove().args(["--no-copy"]).document();
    let measured: u64 = document.list("arms").iter().map(|arm| arm["requests"].as_u64().unwrap()).sum();
    assert_eq!(agent(&document, "a")["requests"].as_u64(), Some(measured), "{document}");
    let begun = std::fs::read_to_string(begun).unwrap().lines().count() as u64;
    // Nine requests each. Of those that were sent again nothing is told.
    assert!(measured.is_multiple_of(9) && begun > measured / 9, "{begun} phases were begun: {document}");
    assert!(document.list("comparisons").iter().any(|row| row["group"].is_string()), "it counts: {document}");
}

#[test]
fn an_experiment_ends_with_the_agent_that_was_lost_and_puts_everything_back() {
    let server = Server::good();
    let killed = mark("prove-killed");
    let (a, b) = (way("", &mark("prove-whole")), way("", &killed));
    let knob = "[[knob]]\nname = \"on\"\non = { file = \"state\", text = \"on\" }\n";
    let lab = Lab::of(&format!("url = \"{}\"\n[load]\nconcurrency = 2\ntime = \"1min\"\n{knob}", server.url("/")));
    lab.write("state", "off");
    let call =
        lab.prove().args(["--no-copy", "--no-weights", "--from", &format!("a={a}"), "--from", &format!("b={b}")]);
    let running = call.start();
    lab.wait_until("state", "on");
    // It is tried, and warmed up for a second.
    server.wait_for_requests(server.received().len() + 100);
    signal(&killed, Signal::SIGKILL);
    running.wait().ended_with(3).says(["agent b was lost", "after a phase began", "does not count"]);
    assert_eq!(lab.read("state"), "off");
    assert!(!lab.has_journal());
}

#[test]
fn hosts_that_cannot_send_are_told_before_anything_is_switched() {
    let server = Server::good();
    let lab = Lab::of(&experiment(&server, "concurrency = 2\ntime = \"1s\"\nfrom = [\"a=env\", \"a=env\"]"));
    lab.prove().run().ended_with(2).says(["[load] from: two hosts have the name a"]);
    lab.prove().args(["--check"]).run().ended_with(2).says(["two hosts have the name a"]);
    let typed = lab.prove().args(["--from", "env", "--from", "env", "--from", "env"]);
    typed.run().ended_with(2).says(["--concurrency 2", "counts the whole load"]);
    let urls = |server: &Server| ["--a".to_owned(), server.url("/"), "--b".to_owned(), server.url("/b")];
    let without = Call::prove(["--no-copy"]).args(urls(&server));
    without.run().ended_with(2).says(["--no-copy applies to hosts that send"]);
    let nobody = Call::prove(["--from", "unladen-no-such-command"]).args(urls(&server));
    nobody.run().ended_with(3).says(["host agent-1", "unladen-no-such-command"]);
    assert_eq!(server.received().len(), 0);
}
