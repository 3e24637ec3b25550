//! When `unladen load` sends: at planned times, in steps, or back to back; and that latency counts from the planned
//! time.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;
use unladen_tests::{Call, Document, Records, Reply, Server};

/// A file that is not there yet, in a folder that goes with the test.
fn file(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    (folder, file)
}

/// Runs a load and reads what it recorded.
fn recorded(args: &[&str], server: &Server) -> (Document, Records) {
    let (_folder, file) = file("load.records");
    let call = Call::load(args).args(["--record"]).args([&file]).args([server.url("/")]);
    (call.document(), Records::read(&file))
}

/// A server that takes a while for each request, and stalls once, whoever asks.
fn stalling(at: usize, stall: Duration) -> Server {
    let worker = Mutex::new(());
    Server::replying(move |asked| {
        let _busy = worker.lock().unwrap();
        if asked.number == at {
            sleep(stall);
        }
        Reply::good()
    })
}

#[test]
fn a_rate_plans_every_request_to_the_ns_and_sends_each_once() {
    let server = Server::good();
    let (document, records) = recorded(&["--rate", "40", "--requests", "120"], &server);
    assert_eq!(records.planned(), (0..120).map(|turn| turn * 25_000_000).collect::<Vec<u64>>());
    assert_eq!(server.received().len(), 121, "one is tried before");
    assert_eq!((document.number("planned"), document.number("requests")), (120.0, 120.0), "{document}");
    assert_eq!(document.number("rate"), 40.0);
    assert_eq!(document["arrivals"], "constant");
    assert_eq!(document["unsent"], 0);
    // The last one is planned for 2.975 s, and none is sent before its time.
    assert!(document.number("elapsed_ns") >= 2.975e9, "{document}");
    assert!(records.all.iter().all(|record| record.latency_ns > 0 && record.sent_ns.is_some()));
}

#[test]
fn a_rate_that_does_not_divide_a_second_does_not_drift() {
    let (_, records) = recorded(&["--rate", "333", "--requests", "400"], &Server::good());
    for (turn, planned) in (0..400_u64).zip(records.planned()) {
        assert!(planned.abs_diff(turn * 1_000_000_000 / 333) <= 1, "request {turn} is planned for {planned} ns");
    }
}

#[test]
fn poisson_arrivals_repeat_with_their_seed() {
    let server = Server::good();
    let run = |seed: &str| {
        let args = ["--rate", "400", "-n", "200", "--arrivals", "poisson", "--seed", seed];
        let (document, records) = recorded(&args, &server);
        assert_eq!((document["arrivals"].as_str(), document["seed"].to_string().as_str()), (Some("Poisson"), seed));
        assert_eq!(document.number("requests"), 200.0, "{document}");
        records.planned()
    };
    let first = run("7");
    assert_eq!(first, run("7"));
    assert_ne!(first, run("8"));
    // Of 199 gaps, distributed exponentially, 63 % are shorter than the mean: 125 ± 7.
    let short = first.windows(2).filter(|pair| pair[1] - pair[0] < 2_500_000).count();
    assert!((90..=160).contains(&short), "{short} of 199 gaps are shorter than the mean");
}

/// It drew the times from twice the average length, which holds no arrival at all in 13 of 100 cases.
#[test]
fn a_few_poisson_requests_are_all_sent() {
    let server = Server::good();
    for seed in 0..30 {
        let args = ["--rate", "200", "-n", "1", "--arrivals", "poisson", "--seed", &seed.to_string()];
        let document = Call::load(args).args([server.url("/")]).document();
        assert_eq!(document.number("requests"), 1.0, "seed {seed}: {document}");
    }
}

#[test]
fn steps_ramps_and_pauses_hold_as_many_requests_as_their_area() {
    let server = Server::good();
    let (document, records) =
        recorded(&["--step", "20:1s", "--step", "0:500ms", "--step", "20..100:1s", "--step", "50:400ms"], &server);
    let planned = records.planned();
    let between = |from: u64, to: u64| planned.iter().filter(|time| (from..to).contains(*time)).count();
    let ms = 1_000_000;
    let by_step = [(0, 1_000), (1_000, 1_500), (1_500, 2_500), (2_500, 2_900)];
    assert_eq!(by_step.map(|(from, to)| between(from * ms, to * ms)), [20, 0, 60, 20]);
    // A ramp from 20 to 100 has planned 20 · 0.5 + 80 · 0.5² / 2 = 20 by its middle.
    assert_eq!(between(1_500 * ms, 2_000 * ms), 20);
    assert_eq!(planned.len(), 100);
    assert_eq!(server.received().len(), 101);

    let of_steps: Vec<_> = document.list("steps").iter().map(|step| step["requests"].as_u64().unwrap()).collect();
    assert_eq!(of_steps, [20, 0, 60, 20], "{document}");
    assert_eq!((&document["steps"][2]["from"], &document["steps"][2]["to"]), (&20.0.into(), &100.0.into()));
    assert!((document.number("rate") - 100.0 / 2.9).abs() < 1e-6, "{document}");
}

#[test]
fn a_time_limits_a_rate_too() {
    let server = Server::good();
    let document = Call::load(["--rate", "100", "-t", "500ms", &server.url("/")]).document();
    assert_eq!(document.number("planned"), 50.0, "{document}");
    let document = Call::load(["--rate", "100", "-t", "500ms", "-n", "20", &server.url("/")]).document();
    assert_eq!(document.number("planned"), 20.0, "{document}");
}

#[test]
fn a_closed_loop_has_always_as_many_under_way() {
    static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
    let most = std::sync::Arc::new(AtomicUsize::new(0));
    let seen = std::sync::Arc::clone(&most);
    let server = Server::replying(move |_| {
        seen.fetch_max(UNDER_WAY.fetch_add(1, SeqCst) + 1, SeqCst);
        sleep(Duration::from_millis(10));
        UNDER_WAY.fetch_sub(1, SeqCst);
        Reply::good()
    });
    let document = Call::load(["-c", "5", "-n", "103", &server.url("/")]).document();
    assert_eq!((document.number("requests"), server.received().len()), (103.0, 104), "{document}");
    assert_eq!(most.load(SeqCst), 5);
    assert_eq!(document["concurrency"], 5);
    for absent in ["rate", "arrivals", "send_lag_ns", "pacing"] {
        assert!(document[absent].is_null(), "{absent} is there: {document}");
    }
    assert_eq!(server.accepted(), 5);
}

#[test]
fn a_stall_is_in_the_latency_of_all_that_were_planned_meanwhile() {
    let server = stalling(50, Duration::from_secs(1));
    let document = Call::load(["--rate", "100", "-n", "200", &server.url("/")]).document();
    // 100 of 200 were planned during the stall, and 80 of them at least 200 ms before its end.
    let within = document["within"]["250ms"].as_f64().unwrap();
    assert!(within < 0.75, "{document}");
    assert!(document["latency_ns"]["p99"].as_f64().unwrap() > 8e8, "{document}");
    assert_eq!(document.number("requests"), 200.0);
    assert!(!document.warns("ran at once"), "{document}");
}

#[test]
fn where_requests_have_to_wait_for_room_latency_still_counts_from_the_plan_and_a_warning_says_so() {
    let server = stalling(50, Duration::from_secs(1));
    let document = Call::load(["--rate", "100", "-n", "200", "-c", "2", &server.url("/")]).document();
    assert!(document["latency_ns"]["p99"].as_f64().unwrap() > 8e8, "{document}");
    assert_eq!((document.number("requests"), document.number("unsent")), (200.0, 0.0), "{document}");
    assert!(document.warns("2 requests ran at once"), "{document}");
    // Those that waited for room say nothing of the generator.
    let (_folder, records) = file("load.records");
    let server = stalling(20, Duration::from_millis(500));
    Call::load(["--rate", "100", "-n", "60", "-c", "1", "--record"])
        .args([&records])
        .args([server.url("/")])
        .document();
    let waited = Records::read(&records).all.iter().filter(|record| record.lag_ns.is_none()).count();
    assert!((20..=59).contains(&waited), "{waited} of 60 waited");
}

/// What coordinated omission is: back to back, one long answer is one request.
#[test]
fn back_to_back_a_stall_is_one_request() {
    let server = stalling(50, Duration::from_secs(1));
    let document = Call::load(["-n", "200", &server.url("/")]).document();
    let latency = |name: &str| document["latency_ns"][name].as_f64().unwrap();
    assert!(latency("max") > 9e8 && latency("p99") < 5e8, "{document}");
}

#[test]
fn what_is_never_sent_is_planned_and_within_nothing() {
    // One at a time, and each is cut off after 300 ms: from the end of the schedule on there is room for one timeout.
    let server = Server::hanging_after(1);
    let document =
        Call::load(["--rate", "50", "-n", "50", "-c", "1", "--timeout", "300ms", "--json", &server.url("/")])
            .run()
            .ended_with(4);
    let document = document.document();
    let unsent = document.number("unsent");
    assert!(unsent >= 30.0, "{document}");
    assert_eq!(document["planned"], 50, "{document}");
    assert_eq!(document.number("cut_short") + unsent, 50.0, "{document}");
    assert!(document.warns("1 requests ran") || document.warns("1 request was under way"), "{document}");
}
