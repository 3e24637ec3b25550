use super::*;

fn seconds(elapsed: u64, busy: u64, stolen: u64) -> MachineTimes {
    let of = Duration::from_secs;
    MachineTimes {
        elapsed: of(elapsed),
        available: of(elapsed * 2),
        busy: of(busy),
        stolen: of(stolen),
        ..Default::default()
    }
}

#[test]
fn steal_is_told_of_all_time_and_of_the_time_that_was_wanted() {
    let times = seconds(10, 3, 1);
    assert!((times.stolen_share() - 0.05).abs() < 1e-12);
    assert!((times.stolen_of_wanted() - 0.25).abs() < 1e-12);
    assert_eq!(MachineTimes::default().stolen_share(), 0.0);
    assert_eq!(times.pressure_share(), None);
}

#[test]
fn stretches_add_up() {
    let waited = MachineTimes { waited: Some(Duration::from_secs(2)), frequency_hz: Some((2, 3)), ..seconds(4, 1, 1) };
    let slower = MachineTimes { frequency_hz: Some((1, 2)), ..seconds(4, 3, 1) };
    let sum = waited.plus(slower);
    assert_eq!((sum.elapsed, sum.busy), (Duration::from_secs(8), Duration::from_secs(4)));
    assert_eq!((sum.waited, sum.frequency_hz), (Some(Duration::from_secs(2)), Some((1, 3))));
    assert!((sum.pressure_share().unwrap() - 0.25).abs() < 1e-12);
}
