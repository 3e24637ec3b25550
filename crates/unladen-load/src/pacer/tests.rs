use super::*;
use crate::schedule::{Arrivals, Schedule, Step};

fn late(schedule: &Schedule) -> Vec<Duration> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let start = Instant::now() + Duration::from_millis(1);
        let pacer =
            Pacer::start(start, schedule.times(), start + Duration::from_secs(60), schedule.shortest_gap()).unwrap();
        let mut late = Vec::new();
        for time in schedule.times() {
            pacer.wait(start + time).await;
            late.push(Instant::now().duration_since(start + time));
        }
        late
    })
}

#[test]
fn no_turn_comes_early_or_is_forgotten() {
    let steps = vec![
        Step::steady(20_000.0, Duration::from_millis(20)),
        Step::steady(100.0, Duration::from_millis(50)),
        Step { from: 100.0, to: 20_000.0, time: Duration::from_millis(20) },
    ];
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        let schedule = Schedule::new(steps.clone(), arrivals, 3).unwrap();
        // `duration_since` would be zero for all if turns came early: some clock ticks pass in between.
        assert!(late(&schedule).iter().any(|late| !late.is_zero()));
    }
}

#[test]
fn a_pacer_with_nothing_to_do_for_a_thousand_seconds_ends_at_once() {
    let schedule = Schedule::steady(0.001, Arrivals::Constant, 0).unwrap();
    let mut times = schedule.times();
    times.next();
    let start = Instant::now();
    let pacer = Pacer::start(start, times, start + Duration::from_secs(1 << 20), schedule.shortest_gap()).unwrap();
    pacer.stop();
    assert!(start.elapsed() < Duration::from_secs(100));
}
