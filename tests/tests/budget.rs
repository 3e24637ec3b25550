//! How long, how many, how exact, and the same again.

use std::sync::LazyLock;

use unladen_tests::{Call, Subject};

static FAULTS: LazyLock<Subject> = LazyLock::new(|| Subject::up("faults"));

#[test]
fn as_many_requests_as_asked_for_in_whole_blocks() {
    // A hundred milliseconds each, so that the number decides.
    let call = Call::weigh(["--no-findings", "--requests", "60", "--settle", "20ms", &FAULTS.at("HTTP_URL", "/slow")]);
    let document = call.document();
    assert_eq!(document["ended"], "complete");
    assert!((60.0..120.0).contains(&document.number("requests")), "{document}");
    assert!(document["urls"][0]["blocks"].as_u64() >= Some(6), "{document}");
}

#[test]
fn until_an_interval_is_narrow_stops_before_the_time_is_over() {
    let call = Call::weigh(["--no-findings", "--phase", "100ms", "--settle", "20ms", "--group-by", "exe"]);
    let document = call.args(["--until", "50%", "--time", "60s", FAULTS.url()]).document();
    assert!(document.number("elapsed_ns") < 50e9, "{document}");
    assert!(!document.warns("was not reached"), "{document}");
}

#[test]
fn until_says_what_was_reached_instead() {
    let document = Call::quick(["--until", "0.001%", FAULTS.url()]).document();
    assert!(document.warns("±0.0 % was not reached"), "{document}");
}

#[test]
fn a_seed_is_told_and_repeats_the_plan() {
    let first = Call::quick([FAULTS.url()]).document();
    let seed = first["seed"].as_u64().unwrap().to_string();
    let again = Call::quick(["--seed", &seed, FAULTS.url()]).document();
    assert_eq!(first["seed"], again["seed"]);
    assert_eq!(first["phase_ns"], again["phase_ns"]);
    let other = Call::quick([FAULTS.url()]).document();
    assert_ne!(first["seed"], other["seed"], "without a seed each run has a plan of its own");
}
