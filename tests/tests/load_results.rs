//! What `unladen load` finds out and shows: the JSON contract, limits, capacity, what makes a result unfit, and Ctrl-C.

use std::sync::Mutex;
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::Value;
use unladen_tests::{Call, Done, Records, Reply, Server};

fn is_count(value: &Value) -> bool {
    value.is_u64()
}

#[test]
fn json_has_the_fields_that_others_rely_on() {
    let server = Server::good();
    let args = ["--rate", "500", "-n", "1000", "--buckets", "50ms,1s,1500us", "--fail-on", "within.2s < 1%"];
    let document = Call::load(args).args([server.url("/")]).document();
    assert_eq!(document["schema"], "unladen.load/1");
    assert_eq!((document.number("rate"), document.number("requests")), (500.0, 1000.0), "{document}");
    assert!(document.number("throughput") > 0.0);
    for name in ["mean", "sd", "p50", "p75", "p90", "p95", "p99", "p999", "max"] {
        assert!(is_count(&document["latency_ns"][name]), "latency_ns.{name}: {document}");
    }
    let quantiles =
        ["p50", "p75", "p90", "p95", "p99", "p999", "max"].map(|name| document["latency_ns"][name].as_u64());
    assert!(quantiles.is_sorted(), "{document}");
    // Each bucket by its name, the limit among them.
    let within: Vec<_> = document["within"].as_object().unwrap().iter().collect();
    let names: Vec<_> = within.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(within.len(), 4);
    for name in ["1500us", "50ms", "1s", "2s"] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    assert!(within.iter().all(|(_, share)| share.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share))));
    for name in ["p50", "p99", "max"] {
        assert!(is_count(&document["send_lag_ns"][name]), "send_lag_ns.{name}: {document}");
    }
    assert_eq!(document["errors"], serde_json::json!({}));
    assert!(document["fit"].is_boolean());
    let interval = &document["latency_intervals_ns"]["p50"];
    let (low, high) = (interval["low"].as_u64().unwrap(), interval["high"].as_u64().unwrap());
    assert!(low <= high && (low..=high).contains(&quantiles[0].unwrap()), "{document}");
    // A p99.9 interval needs 3,688 requests.
    assert!(document["latency_intervals_ns"]["p999"].is_null(), "{document}");
}

#[test]
fn results_go_to_files_too() {
    let server = Server::good();
    let folder = tempfile::tempdir().unwrap();
    let [json, svg, text] = ["load.json", "load.svg", "load.txt"].map(|name| folder.path().join(name));
    let call = Call::load(["-n", "200", "-o"]).args([&json]).args(["-o"]).args([&svg]).args(["-o"]).args([&text]);
    let done = call.args([server.url("/")]).run().succeeded();
    let document: Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert_eq!(document["requests"], 200);
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg"));
    let text = std::fs::read_to_string(text).unwrap();
    assert!(text.contains("p99") && done.stdout.contains("p99"), "{done}");
}

/// Serves one at a time, each in 10 ms: 100 a second, less what sleeping takes longer.
fn hundred_a_second() -> Server {
    let worker = Mutex::new(());
    Server::replying(move |_| {
        let _busy = worker.lock().unwrap();
        sleep(Duration::from_millis(10));
        Reply::good()
    })
}

#[test]
fn the_capacity_of_a_server_that_is_known_is_found() {
    let server = hundred_a_second();
    let args = ["--find-capacity", "p90<60ms", "--rate", "30", "-t", "1s"];
    let search = || Call::load(args).args([server.url("/")]).args(["--json"]).run();
    // Other tests may make the generator late, twice in a row, which ends a search.
    let ended_early = |done: &Done| {
        let document = done.document();
        let trials = document["capacity"]["trials"].as_array().unwrap();
        trials.last().is_none_or(|trial| trial["unfit"] == true)
    };
    let mut done = search();
    for _ in 0..3 {
        if ended_early(&done) {
            done = search();
        }
    }
    let document = done.succeeded().document();
    let capacity = &document["capacity"];
    let (highest, broken) = (capacity["highest"].as_f64().unwrap(), capacity["lowest_broken"].as_f64().unwrap());
    assert!((30.0..=125.0).contains(&highest) && highest < broken, "{document}");
    assert!(broken <= highest * 1.2, "{document}");
    assert_eq!(capacity["limit"], "p90<60ms");
    // The figures are those of the highest rate that held.
    assert_eq!(document.number("rate"), highest, "{document}");
    let trials = capacity["trials"].as_array().unwrap();
    assert!(trials.iter().any(|trial| trial["rate"] == capacity["highest"] && trial["held"] == true), "{document}");
    assert!(trials.iter().any(|trial| trial["held"] == false), "{document}");
}

#[test]
fn ctrl_c_ends_a_search_with_the_trials_until_then() {
    let server = hundred_a_second();
    let args = ["--find-capacity", "p50<1ms", "--rate", "60", "-t", "500ms", "--json"];
    let running = Call::load(args).args([server.url("/")]).start();
    // The thirty of the first trial, and some of the second.
    server.wait_for_requests(40);
    running.interrupt();
    let document = running.wait().ended_with(130).document();
    assert_eq!(document["ended"], "interrupted");
    let capacity = &document["capacity"];
    assert!(capacity["highest"].is_null(), "{document}");
    assert!(capacity["trials"].as_array().unwrap().iter().all(|trial| trial["held"] != true), "{document}");
}

#[test]
fn ctrl_c_shows_what_there_is() {
    let server = Server::good();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("load.records");
    let running =
        Call::load(["--rate", "100", "-t", "1min", "--json", "--record"]).args([&file]).args([server.url("/")]);
    let running = running.start();
    server.wait_for_requests(120);
    running.interrupt();
    let done = running.wait().ended_with(130).says(["interrupted"]);
    let document = done.document();
    assert_eq!(document["ended"], "interrupted");
    assert!((50.0..=400.0).contains(&document.number("requests")), "{document}");
    assert_eq!(document.number("planned"), document.number("requests") + document.number("abandoned"), "{document}");
    let records = Records::read(&file);
    assert_eq!(records.all.len() as f64, document.number("requests"));
    assert_eq!(records.end.unwrap().ended, "interrupted");
}

#[test]
fn ctrl_c_gives_up_what_is_under_way_and_says_so() {
    let server = Server::hanging_after(11);
    let running = Call::load(["-c", "4", "-t", "1min", "--json", &server.url("/")]).start();
    // Those that are answered, and one on each connection that is not.
    server.wait_for_requests(15);
    running.signal(Signal::SIGTERM);
    let document = running.wait().ended_with(130).document();
    assert_eq!((document.number("requests"), document.number("abandoned")), (10.0, 4.0), "{document}");
    assert_eq!(document.number("planned"), 14.0);
}

#[test]
fn a_generator_that_was_late_says_that_the_result_is_unfit() {
    let server = Server::good();
    let running = Call::load(["--rate", "100", "-t", "4s", "--json", &server.url("/")]).start();
    server.wait_for_requests(50);
    running.signal(Signal::SIGSTOP);
    sleep(Duration::from_millis(700));
    running.signal(Signal::SIGCONT);
    let document = running.wait().succeeded().document();
    assert_eq!(document["fit"], false, "{document}");
    assert!(document["unfit"][0].as_str().unwrap().contains("was sent"), "{document}");
    assert!(document["send_lag_ns"]["max"].as_f64().unwrap() > 4e8, "{document}");
    // Nothing was left out for it, and the latencies show it: they count from the planned time.
    assert_eq!(document.number("requests"), 400.0);
    assert!(document["latency_ns"]["p95"].as_f64().unwrap() > 1e8, "{document}");
}

#[test]
fn a_generator_without_time_left_says_that_the_result_is_unfit() {
    // A server of many threads that answers at once: what limits the rate is the one thread of the client.
    let server = Server::good();
    let text = Call::load(["-c", "50", "-t", "1s", &server.url("/")]).run().succeeded();
    let document = Call::load(["-c", "50", "-t", "1s", &server.url("/")]).document();
    // On a machine that is full the client's thread waits for a processor instead.
    if document["fit"] == false {
        assert!(document["unfit"][0].as_str().unwrap().contains("its thread worked"), "{document}");
    }
    assert!(text.stdout.contains("p99"), "{text}");
}

/// Where nothing had been sent, "its thread worked 100 % of the time"; and one request took as long as its thread
/// worked.
#[test]
fn a_short_load_is_not_called_busy() {
    let server = Server::good();
    for requests in ["1", "2", "5"] {
        let document = Call::load(["-n", requests, &server.url("/")]).document();
        assert_eq!(document["fit"], true, "{document}");
    }
}
