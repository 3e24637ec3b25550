use super::*;
use proptest::prelude::*;

fn schedule(steps: Vec<Step>, arrivals: Arrivals) -> Schedule {
    Schedule::new(steps, arrivals, 7).unwrap()
}

#[test]
fn a_steady_rate_is_exact_after_a_million_requests() {
    let steady = Schedule::steady(40.0, Arrivals::Constant, 0).unwrap();
    assert_eq!(steady.times().nth(1_000_000), Some(Duration::from_secs(25_000)));
    assert_eq!(steady.times().next(), Some(Duration::ZERO));
}

#[test]
fn steps_hold_as_many_requests_as_they_plan() {
    let second = Duration::from_secs(1);
    let steps = vec![Step::steady(10.0, 3 * second), Step::steady(0.0, second), Step::steady(20.0, second)];
    let times: Vec<_> = schedule(steps, Arrivals::Constant).times().collect();
    assert_eq!(times.len(), 50);
    assert_eq!(times[29], Duration::from_millis(2_900));
    assert_eq!(times[30], Duration::from_secs(4), "nothing in the pause");
}

#[test]
fn a_ramp_from_nothing_begins() {
    let ramp = Step { from: 0.0, to: 10.0, time: Duration::from_secs(10) };
    let times: Vec<_> = schedule(vec![ramp], Arrivals::Constant).times().collect();
    assert_eq!(times.len(), 50);
    assert!(times[49] < Duration::from_secs(10));
    let down = Step { from: 10.0, to: 0.0, time: Duration::from_secs(10) };
    assert_eq!(schedule(vec![down], Arrivals::Constant).times().count(), 50);
}

#[test]
fn a_poisson_process_has_its_rate_and_its_spread() {
    let steps = vec![Step::steady(1_000.0, Duration::from_secs(100))];
    let times: Vec<_> = schedule(steps.clone(), Arrivals::Poisson).times().collect();
    // Five standard deviations of a count of 100,000.
    assert!((98_400..=101_600).contains(&times.len()), "{}", times.len());
    let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64() * 1_000.0).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    assert!((0.95..1.05).contains(&variance), "an exponential's variance is its mean's square: {variance}");
    assert_eq!(times, schedule(steps, Arrivals::Poisson).times().collect::<Vec<_>>(), "the seed repeats it");
}

#[test]
fn steps_are_read() {
    assert_eq!("40:30s".parse(), Ok(Step::steady(40.0, Duration::from_secs(30))));
    assert_eq!("10..100:2min".parse(), Ok(Step { from: 10.0, to: 100.0, time: Duration::from_secs(120) }));
    assert_eq!("40:30".parse(), Ok(Step::steady(40.0, Duration::from_secs(30))), "a number alone is seconds");
    for wrong in ["", "40", ":30s", "40:", "x:1s", "-1:1s", "1..:1s", "1e99:1s", "NaN:1s", "40:x"] {
        assert!(wrong.parse::<Step>().is_err(), "{wrong}");
    }
}

#[test]
fn schedules_without_requests_are_refused() {
    let second = Duration::from_secs(1);
    let refused = |steps| Schedule::new(steps, Arrivals::Constant, 0).unwrap_err().to_string();
    assert_eq!(refused(vec![]), "the schedule is empty: expected at least one step with a rate above 0");
    assert_eq!(refused(vec![Step::steady(0.0, second)]), refused(vec![]));
    assert!(refused(vec![Step::steady(1.0, Duration::ZERO)]).contains("length of a step"));
    assert!(refused(vec![Step::steady(1e9, second)]).contains("10,000,000"));
    assert!(refused(vec![Step::steady(f64::NAN, second), Step::steady(1.0, second)]).contains("NaN"));
}

proptest! {
    #[test]
    fn times_never_go_back_and_stay_within_the_steps(
        steps in prop::collection::vec((0.0_f64..200.0, 0.0_f64..200.0, 1_u64..5_000), 1..5),
        poisson in any::<bool>(),
    ) {
        let bounded = |rate: f64| if rate < 0.001 { 0.0 } else { rate };
        let steps: Vec<Step> = steps.into_iter()
            .map(|(from, to, ms)| Step { from: bounded(from), to: bounded(to), time: Duration::from_millis(ms) })
            .collect();
        let arrivals = if poisson { Arrivals::Poisson } else { Arrivals::Constant };
        let all: Duration = steps.iter().map(|step| step.time).sum();
        let planned: f64 = steps.iter().map(Step::requests).sum();
        let Ok(schedule) = Schedule::new(steps, arrivals, 1) else { return Ok(()) };
        let times: Vec<_> = schedule.times().collect();
        prop_assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
        prop_assert!(times.last().is_none_or(|last| *last <= all));
        if !poisson {
            prop_assert!((times.len() as f64 - planned).abs() <= 1.5, "{} of {planned}", times.len());
        }
    }
}
