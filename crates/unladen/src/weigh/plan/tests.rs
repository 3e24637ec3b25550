use proptest::prelude::*;
use unladen_agent::SessionOptions;
use unladen_load::{DriverConfig, Request};
use unladen_probe::GroupBy;

use super::*;

fn options(budget: Budget) -> Options {
    let request = Request::get("http://localhost/").and_then(|builder| builder.build()).unwrap();
    Options {
        driver: DriverConfig::new(vec![request]),
        budget,
        phase: None,
        settle: None,
        hosts: Vec::new(),
        session: SessionOptions::default(),
        exporters: Vec::new(),
        group_by: GroupBy::Auto,
        seed: 1,
        quiet: true,
        inside: false,
        restart: None,
    }
}

const NOTHING_SET: Budget = Budget { time: None, requests: None, until: None };

fn known(latency_ms: u64) -> Known {
    Known {
        latency: Duration::from_millis(latency_ms),
        read: Duration::from_micros(300),
        edge: Duration::ZERO,
        settle: Duration::ZERO,
        urls: 1,
    }
}

#[test]
fn a_quick_page_gets_half_a_minute_of_half_second_phases() {
    let plan = Plan::choose(&options(NOTHING_SET), known(20)).unwrap();
    assert_eq!((plan.phase, plan.time, plan.extended), (USUAL_PHASE, Budget::TIME, false));
}

#[test]
fn a_slow_page_gets_longer_phases_and_a_longer_run() {
    let plan = Plan::choose(&options(NOTHING_SET), known(2_000)).unwrap();
    assert!(plan.phase >= Duration::from_secs(6) && plan.extended, "{plan:?}");
    assert!(plan.time >= plan.phase * 48);
}

#[test]
fn costly_readings_make_phases_longer() {
    let plan = Plan::choose(&options(NOTHING_SET), Known { read: Duration::from_millis(8), ..known(20) }).unwrap();
    assert_eq!(plan.phase, Duration::from_millis(1_600));
}

#[test]
fn a_short_time_is_cut_into_short_phases_and_a_too_short_one_is_refused_with_what_it_takes() {
    let of = |time| Plan::choose(&options(Budget { time: Some(time), ..NOTHING_SET }), known(20));
    let plan = of(Duration::from_secs(12)).unwrap();
    assert!(plan.phase < USUAL_PHASE && plan.phase >= Duration::from_millis(160), "{plan:?}");
    let error = of(Duration::from_secs(2)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2s is too short: a request takes 20 ms here and a reading of all counters 0.3 ms of CPU, so a phase lasts 200 ms \
         at least, and an interval needs 6 blocks of four phases: 5 s"
    );
}

#[test]
fn a_number_of_requests_is_spread_over_enough_blocks() {
    let of = |requests| Plan::choose(&options(Budget { requests: Some(requests), ..NOTHING_SET }), known(20));
    let plan = of(240).unwrap();
    // 24 on phases of ten requests each.
    assert_eq!(plan.phase, Duration::from_millis(300));
    assert_eq!(of(11), Err(PlanError::TooFew { given: 11, needed: 12 }));
}

#[test]
fn a_phase_that_holds_no_request_is_refused() {
    let mut options = options(NOTHING_SET);
    options.phase = Some(Duration::from_millis(110));
    let error = Plan::choose(&options, known(20)).unwrap_err().to_string();
    assert!(error.contains("phases of 110ms are too short") && error.contains("120 ms"), "{error}");
}

#[test]
fn the_way_to_a_host_fits_into_the_settle_gap() {
    let trip = Duration::from_millis(150);
    let far = Known { edge: trip, settle: trip * 2, ..known(20) };
    let plan = Plan::choose(&options(NOTHING_SET), far).unwrap();
    assert_eq!((plan.settle, plan.phase), (Duration::from_millis(300), Duration::from_millis(600)));
    let short = Options { settle: Some(Duration::from_millis(200)), ..options(NOTHING_SET) };
    assert_eq!(
        Plan::choose(&short, far).unwrap_err().to_string(),
        "a settle gap of 200ms is too short: the way to other hosts, or the age of what exporters tell, needs 300 ms (--settle; without \
         it, as much is taken as is needed)"
    );
    let brief = options(Budget { time: Some(Duration::from_secs(12)), ..NOTHING_SET });
    let error = Plan::choose(&brief, far).unwrap_err().to_string();
    assert!(error.contains("with 150 ms more for the answers of other hosts"), "{error}");
}

proptest! {
    #[test]
    fn whatever_is_asked_for_a_plan_holds_enough_or_is_refused(
        time_ms in proptest::option::of(0_u64..10_000_000), requests in proptest::option::of(0_u64..1_000_000),
        latency_us in 1_u64..60_000_000, read_us in 1_u64..50_000, urls in 1_usize..20, rate in proptest::option::of(0.01_f64..1e5),
        concurrency in 1_usize..1000, trip_us in 0_u64..2_000_000,
    ) {
        let mut options = options(Budget { time: time_ms.map(Duration::from_millis), requests, until: None });
        options.driver.rate = rate;
        options.driver.concurrency = concurrency;
        let edge = Duration::from_micros(trip_us);
        let known = Known {
            latency: Duration::from_micros(latency_us), read: Duration::from_micros(read_us), edge, settle: edge * 2, urls,
        };
        if let Ok(plan) = Plan::choose(&options, known) {
            prop_assert!(plan.phase >= LEAST_PHASE && plan.phase <= LONGEST_PHASE);
            prop_assert!(plan.phase > plan.settle || plan.phase == LONGEST_PHASE);
            prop_assert!(plan.settle >= known.settle);
            prop_assert!(plan.least_rounds >= MIN_BLOCKS);
        }
    }
}
