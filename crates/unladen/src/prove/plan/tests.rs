use unladen_prove::Load;

use super::*;

fn plan(pace: Pace, budget: Budget, restarts: u32) -> Plan {
    let url: url::Url = "http://127.0.0.1/".parse().unwrap();
    let mut experiment = Experiment::of_urls(url.clone(), url, Load::new(pace, budget));
    experiment.restarts = restarts;
    Plan::choose(&experiment, Some(Duration::from_millis(20)), 3)
}

fn open(rate: f64) -> Pace {
    Pace::Open { rate, arrivals: Default::default() }
}

#[test]
fn the_accounts_experiment_has_exactly_its_requests() {
    let plan = plan(open(40.0), Budget::Requests(4_800), 1);
    assert_eq!((plan.phase, plan.requests, plan.blocks()), (Duration::from_secs(4), Some(160), 15));
    assert_eq!(160 * 15 * PASSES as u64, 4_800);
}

#[test]
fn restarts_share_the_blocks() {
    let plan = plan(open(40.0), Budget::Requests(4_800), 6);
    assert_eq!((plan.restarts, plan.blocks_per_restart), (6, 3));
    assert!(plan.requests.unwrap() * (plan.blocks() * PASSES) as u64 >= 4_800);
}

#[test]
fn restarts_share_the_time() {
    let plan = plan(open(40.0), Budget::Time(Duration::from_secs(300)), 5);
    let restarts: Vec<usize> = (0..5).map(|minute| plan.restart(1, Duration::from_secs(60 * minute + 30))).collect();
    assert_eq!(restarts, [0, 1, 2, 3, 4]);
    assert_eq!(Plan { restarts: 1, ..plan }.restart(99, Duration::from_secs(299)), 0);
}

#[test]
fn few_requests_still_make_enough_blocks() {
    for requests in [1, 12, 100] {
        assert!(plan(open(100.0), Budget::Requests(requests), 1).blocks() >= MIN_BLOCKS);
    }
    let closed = plan(Pace::Closed { concurrency: 2 }, Budget::Requests(1_000), 1);
    assert!(closed.blocks() >= MIN_BLOCKS && closed.requests.unwrap() * (closed.blocks() * PASSES) as u64 >= 1_000);
}

#[test]
fn a_short_time_is_not_overrun_by_phases_that_need_not_be_so_long() {
    let plan = |seconds| plan(open(40.0), Budget::Time(Duration::from_secs(seconds)), 1);
    assert_eq!(plan(18).phase * (3 * PASSES * MIN_BLOCKS) as u32, Duration::from_secs(18));
    assert_eq!(plan(1).phase, SHORTEST_OF_ALL);
    assert_eq!(plan(60).phase, SHORTEST);
}

#[test]
fn a_phase_has_room_for_a_request() {
    assert_eq!(plan(open(0.4), Budget::Time(Duration::from_secs(15)), 1).phase, Duration::from_millis(2_500));
}

/// `-t 20s` took 30 s, and nothing said so.
#[test]
fn how_long_it_takes_is_known_before() {
    let url: url::Url = "http://127.0.0.1/".parse().unwrap();
    let load = Load::new(open(40.0), Budget::Time(Duration::from_secs(20)));
    let experiment = Experiment::of_urls(url.clone(), url, load);
    let plan = Plan::choose(&experiment, None, 3);
    let seconds = |counts| {
        let (time, restarts) = plan.estimate(&experiment, 3, counts);
        assert_eq!(restarts, 0, "nothing is restarted between two URLs");
        time.as_secs_f64()
    };
    // Six blocks of six phases, 0.1 s after each, an idle phase in each, three warm-ups.
    assert!((seconds(true) - (20.0 + 3.6 + 20.0 / 6.0 + 3.3)).abs() < 0.2, "{}", seconds(true));
    assert!((seconds(false) - (20.0 + 3.6 + 3.3)).abs() < 0.2, "{}", seconds(false));
    assert_eq!(estimate(&experiment, 3, true), "about 30 s in total, with warm-ups");
    let words = |pace, budget| {
        let url: url::Url = "http://127.0.0.1/".parse().unwrap();
        estimate(&Experiment::of_urls(url.clone(), url, Load::new(pace, budget)), 3, true)
    };
    let mut from_hosts = experiment.clone();
    from_hosts.load.from = vec!["ssh gen1".into()];
    let (time, _) = plan.estimate(&from_hosts, 3, false);
    assert!((time.as_secs_f64() - seconds(false) - 0.15 * 39.0).abs() < 0.2, "36 phases and 3 warm-ups: {time:?}");
    let closed = Pace::Closed { concurrency: 1 };
    // How fast the pages answer is not known yet.
    let many = words(closed, Budget::Requests(5_000));
    assert_eq!(many, "as long as 5000 requests of each arm take, back to back, with warm-ups");
    let long = words(closed, Budget::Time(Duration::from_secs(600)));
    assert_eq!(long, "about 10 min in total, with warm-ups and restarts");
    assert_eq!([30, 600, 36_000].map(|seconds| about(Duration::from_secs(seconds))), ["30 s", "10 min", "10.0 h"]);
}

#[test]
fn a_time_is_for_the_whole_experiment() {
    let plan = plan(open(40.0), Budget::Time(Duration::from_secs(300)), 1);
    let all = plan.phase * (3 * PASSES * plan.blocks()) as u32;
    assert!(all <= Duration::from_secs(300) && all > Duration::from_secs(250), "{all:?}");
}
