use proptest::prelude::*;
use unladen_agent::SessionOptions;
use unladen_load::{DriverConfig, Request};
use unladen_probe::GroupBy;

use super::*;
use crate::weigh::edge::SourceKind;

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
        edge_of: None,
        settle_of: None,
        urls: 1,
    }
}

#[test]
fn a_quick_page_gets_half_a_minute_of_half_second_phases() {
    let plan = Plan::choose(&options(NOTHING_SET), &known(20)).unwrap();
    assert_eq!((plan.phase, plan.time, plan.extended), (USUAL_PHASE, Budget::TIME, None));
}

#[test]
fn a_slow_page_gets_longer_phases_and_a_longer_run() {
    let plan = Plan::choose(&options(NOTHING_SET), &known(2_000)).unwrap();
    assert!(plan.phase >= Duration::from_secs(6) && plan.extended.is_some(), "{plan:?}");
    assert!(plan.time >= plan.phase * 48);
}

#[test]
fn costly_readings_make_phases_longer() {
    let plan = Plan::choose(&options(NOTHING_SET), &Known { read: Duration::from_millis(8), ..known(20) }).unwrap();
    assert_eq!(plan.phase, Duration::from_millis(1_600));
}

#[test]
fn a_short_time_is_cut_into_short_phases_and_a_too_short_one_is_refused_with_what_it_takes() {
    let of = |time| Plan::choose(&options(Budget { time: Some(time), ..NOTHING_SET }), &known(20));
    let plan = of(Duration::from_secs(12)).unwrap();
    assert!(plan.phase < USUAL_PHASE && plan.phase >= Duration::from_millis(160), "{plan:?}");
    let error = of(Duration::from_secs(2)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2s is too short: a request takes 20 ms here and a reading of all counters 0.3 ms of CPU, so a phase lasts at \
         least 200 ms, and an interval needs 6 blocks of four phases: 5 s"
    );
}

#[test]
fn a_number_of_requests_is_spread_over_enough_blocks() {
    let of = |requests| Plan::choose(&options(Budget { requests: Some(requests), ..NOTHING_SET }), &known(20));
    let plan = of(240).unwrap();
    // 24 on phases of ten requests each.
    assert_eq!(plan.phase, Duration::from_millis(300));
    assert_eq!(of(11), Err(PlanError::TooFew { given: 11, needed: 12 }));
}

#[test]
fn a_phase_that_holds_no_request_is_refused() {
    let mut options = options(NOTHING_SET);
    options.phase = Some(Duration::from_millis(110));
    let error = Plan::choose(&options, &known(20)).unwrap_err().to_string();
    assert!(error.contains("phases of 110ms are too short") && error.contains("120 ms"), "{error}");
}

#[test]
fn the_way_to_a_host_fits_into_the_settle_gap() {
    let trip = Duration::from_millis(150);
    let far = Known { edge: trip, settle: trip * 2, ..known(20) };
    let plan = Plan::choose(&options(NOTHING_SET), &far).unwrap();
    assert_eq!((plan.settle, plan.phase), (Duration::from_millis(300), Duration::from_millis(600)));
    let short = Options { settle: Some(Duration::from_millis(200)), ..options(NOTHING_SET) };
    assert_eq!(
        Plan::choose(&short, &far).unwrap_err().to_string(),
        "a settle gap of 200ms is too short: the connections to other hosts, or the age of exporters' values, need \
         300 ms (--settle; without it, the gap is as long as needed)"
    );
    let brief = options(Budget { time: Some(Duration::from_secs(12)), ..NOTHING_SET });
    let error = Plan::choose(&brief, &far).unwrap_err().to_string();
    assert!(error.contains("with 150 ms more for the answers of other hosts"), "{error}");
}

fn exporter(lag_s: f64) -> Known {
    let settle = Duration::from_secs_f64(lag_s * 1.25);
    Known { settle, settle_of: Some(("pg".to_owned(), SourceKind::Exporter)), ..known(20) }
}

/// Phases of an exporter that told late were made twelve blocks of, and nobody said that this takes tens of minutes.
#[test]
fn a_run_that_takes_longer_than_usual_says_so_and_why_before_it_begins() {
    let of = |known: &Known| Plan::choose(&options(NOTHING_SET), known).unwrap();
    assert_eq!(of(&known(20)).announcement(), None, "half a minute is what it takes without options");
    let late = of(&exporter(4.0));
    assert_eq!((late.phase, late.time, late.shortened_from), (Duration::from_secs(10), Duration::from_secs(480), None));
    assert_eq!(
        late.announcement().unwrap(),
        "measuring takes about 8 min: phases last 10.0 s, because it takes up to 5.0 s until the exporter pg reports \
         what requests did (--time limits it)"
    );
    let later = of(&exporter(8.0));
    assert_eq!((later.phase, later.time), (Duration::from_secs(20), Budget::MOST_TIME));
    assert_eq!(
        later.announcement().unwrap(),
        "measuring takes about 10 min, in fewer blocks than usual: phases last 20.0 s, because it takes up to 10.0 s \
         until the exporter pg reports what requests did (--time 17min gives the usual number)"
    );
}

#[test]
fn a_run_that_would_take_longer_than_ten_minutes_unasked_is_refused_with_the_time_that_allows_it() {
    let cadvisor = exporter(15.0);
    assert_eq!(
        Plan::choose(&options(NOTHING_SET), &cadvisor).unwrap_err().to_string(),
        "this takes longer than 10 min, the limit without --time: phases last 37.5 s, because it takes up to 18.8 s \
         until the exporter pg reports what requests did, and the 6 blocks of four phases that an interval needs take \
         about 15 min. Use --time 31min, which has twice as many, or at least --time 16min"
    );
    let asked = options(Budget { time: Some(Duration::from_secs(16 * 60)), ..NOTHING_SET });
    assert_eq!(Plan::choose(&asked, &cadvisor).unwrap().phase, Duration::from_millis(37_500));
}

/// Ten minutes hold six blocks of each of fifty pages, if phases are shorter than usual.
#[test]
fn many_urls_get_shorter_phases_before_they_are_refused() {
    let of = |urls| Plan::choose(&options(NOTHING_SET), &Known { urls, ..known(20) });
    let fifty = of(50).unwrap();
    assert!(fifty.phase < USUAL_PHASE && fifty.shortened_from.is_none(), "{fifty:?}");
    assert!(fifty.announcement().unwrap().contains("50 URLs take turns"));
    assert!(matches!(of(1_000), Err(PlanError::TooLong { why: Reason::Urls(1_000), .. })));
}

#[test]
fn what_makes_phases_long_is_named() {
    let why = |options: &Options, known: &Known| match Plan::choose(options, known) {
        Ok(plan) => plan.extended.unwrap().to_string(),
        Err(PlanError::TooLong { why, .. }) => why.to_string(),
        Err(other) => panic!("{other}"),
    };
    let usual = options(NOTHING_SET);
    assert_eq!(why(&usual, &known(2_000)), "a request takes 2.0 s, and each phase needs several");
    let costly = Known { read: Duration::from_millis(8), ..known(20) };
    assert_eq!(why(&usual, &costly), "a reading of all counters takes 8 ms of CPU");
    let way = Duration::from_secs(2);
    let far = Known { edge: way, settle: way, settle_of: Some(("db".into(), SourceKind::Host)), ..known(20) };
    assert_eq!(why(&usual, &far), "the settle gap is 2.0 s because of the connection to db");
    let rare = Options { driver: DriverConfig { rate: Some(0.5), ..usual.driver.clone() }, ..options(NOTHING_SET) };
    assert_eq!(why(&rare, &known(20)), "only 0.5 requests per second are sent (--rate), and each phase needs several");
    let given = Options { phase: Some(Duration::from_secs(3)), ..options(NOTHING_SET) };
    assert_eq!(why(&given, &known(20)), "--phase sets that");
    let settled = Options { settle: Some(Duration::from_secs(3)), ..options(NOTHING_SET) };
    assert_eq!(why(&settled, &known(20)), "the settle gap is 3.0 s (--settle)");
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
            latency: Duration::from_micros(latency_us), read: Duration::from_micros(read_us), edge, settle: edge * 2,
            edge_of: None, settle_of: None, urls,
        };
        match Plan::choose(&options, &known) {
          Ok(plan) => {
            prop_assert!(requests.is_some() || time_ms.is_some() || plan.time <= Budget::MOST_TIME, "{plan:?}");
            prop_assert!(plan.announcement().is_none_or(|said| !said.is_empty()));
            prop_assert!(plan.phase >= LEAST_PHASE && plan.phase <= LONGEST_PHASE);
            prop_assert!(plan.phase > plan.settle || plan.phase == LONGEST_PHASE);
            prop_assert!(plan.settle >= known.settle);
            prop_assert!(plan.least_rounds >= MIN_BLOCKS);
          }
          // The time that a refusal names is enough.
          Err(PlanError::TooLong { wanted, needed, .. }) => for enough in [minutes(wanted), minutes(needed)] {
            let enough = humantime::parse_duration(&enough).unwrap();
            options.budget.time = Some(enough);
            prop_assert!(Plan::choose(&options, &known).is_ok(), "{enough:?}");
          }
          Err(_) => {}
        }
    }
}

#[test]
fn only_a_run_whose_time_nobody_set_goes_on_for_spoiled_blocks() {
    let planned = |budget| Plan::choose(&options(budget), &known(5)).unwrap();
    let unasked = planned(NOTHING_SET);
    assert_eq!(unasked.most_time, unasked.time * 3 / 2);
    let asked = planned(Budget { time: Some(Duration::from_secs(20)), ..NOTHING_SET });
    assert_eq!(asked.most_time, asked.time);
    let counted = planned(Budget { requests: Some(100), ..NOTHING_SET });
    assert_eq!(counted.most_time, counted.time);
}
