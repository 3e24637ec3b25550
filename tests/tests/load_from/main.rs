//! Loads and experiments that several hosts send together. The hosts are agents of this machine, reached by commands that
//! end in a shell.
//!
//! Waits: for loads and phases to end.

mod hostile;
mod prove;
mod way;

use std::collections::BTreeMap;
use std::fs;

use nix::sys::signal::Signal;
use unladen_tests::{Ability, Call, Server, skip_without};

use way::{agent, from, mark, relay, signal, way};

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

    let again = Call::load(["--replay"]).args([records.path()]).document();
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
    let call = from(&way("", &mark("speaking")), &way("", &silent)).args(["--details"]);
    let running = call.args(["--rate", "100", "-t", "2s", &server.url("/")]).start();
    server.wait_for_requests(50);
    signal(&silent, Signal::SIGSTOP);
    let done = running.wait().ended_with(4);
    done.shows(["UNFIT: an agent was lost", "agent b was lost", "it sent nothing for 10 s", "lost after"]);
}

#[test]
fn a_slow_way_to_an_agent_makes_nothing_late_and_is_told() {
    let server = Server::good();
    let relay = relay();
    let slow = way(&format!("python3 {} later 0.15", relay.path().display()), &mark("slow"));
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

/// What waits at the far end comes after the load's end, as long as that takes.
#[test]
fn a_narrow_way_loses_no_record() {
    let server = Server::good();
    let relay = relay();
    // Some 6,000 bytes of records.
    let narrow = way(&format!("python3 {} narrow 3000", relay.path().display()), &mark("narrow"));
    let records = tempfile::NamedTempFile::new().unwrap();
    let call = from(&way("", &mark("wide")), &narrow).args(["--rate", "500", "-t", "1s", "--record"]);
    let document = call.args([records.path()]).args([server.url("/")]).document();
    assert_eq!((document.number("planned"), document.number("requests")), (500.0, 500.0), "{document}");
    let b = agent(&document, "b");
    assert_eq!((&b["requests"], &b["unrecorded"], b["lost"].is_null()), (&250.into(), &0.into(), true), "{document}");
    let again = Call::load(["--replay"]).args([records.path()]).document();
    assert_eq!(again.number("requests"), 500.0, "{again}");
}

#[test]
fn a_search_for_the_highest_rate_is_sent_by_all_hosts() {
    let server = Server::good();
    let call = from(&way("", &mark("search-a")), &way("", &mark("search-b")));
    let call = call.args(["--find-capacity", "p50<10s", "--rate", "60", "-t", "500ms", "--json"]);
    let running = call.args([server.url("/")]).start();
    // Two samples, the thirty requests of the first trial, and some of the second.
    server.wait_for_requests(45);
    running.interrupt();
    let document = running.wait().ended_with(130).document();
    let trials = document["capacity"]["trials"].as_array().unwrap();
    assert_eq!((&trials[0]["planned"], &trials[0]["held"]), (&30.into(), &true.into()), "{document}");
    let counts = ["a", "b"].map(|name| agent(&document, name)["requests"].as_u64().unwrap());
    assert!(counts[0] == counts[1] && counts[0] >= 15, "{document}");
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
    few.run().ended_with(2).says(["concurrency", "counts the whole load"]);
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
