use super::*;

const BETWEEN: Between = Between { variance: 1e-4, within: 0.0, degrees: 30.0, runs: 31 };

fn effect(before: f64, after: f64, speed: f64) -> Effect {
    let point = |y: f64| (Point { y, variance: 1e-6 }, 15.0);
    Effect::of(point(before), point(after), Context { between: BETWEEN, open: 0.0, speed })
}

#[test]
fn the_interval_has_both_runs_errors_and_the_variation_between_runs() {
    let found = effect(1.0, 1.1, 0.0);
    let half = margin(MOST_DEGREES) * (2e-6_f64 + 2e-4).sqrt();
    assert!((found.value - 0.1).abs() < 1e-12 && (found.high - found.value - half).abs() < 1e-12, "{found:?}");
    assert!(found.excludes_none() && found.p < 0.01 && (found.floor - half).abs() < 1e-12);
    let none = effect(1.0, 1.0, 0.0);
    assert!(none.p == 1.0 && !none.excludes_none());
}

#[test]
fn what_the_machine_may_have_added_is_not_told() {
    let (slower, faster) = (effect(1.0, 1.1, 0.1), effect(1.1, 1.0, -0.1));
    assert!(slower.p == 1.0 && !slower.excludes_none() && faster.p == 1.0 && !faster.excludes_none());
    // Against the machine's own change, a difference is told all the more.
    assert!(effect(1.0, 1.1, -0.1).excludes_none());
}

#[test]
fn exact_figures_have_a_difference_or_none() {
    let exact = |y: f64| (Point { y, variance: 0.0 }, 15.0);
    let context = Context { between: Between { variance: 0.0, ..BETWEEN }, open: 0.0, speed: 0.0 };
    assert_eq!(Effect::of(exact(1.0), exact(2.0), context).p, 0.0);
    assert_eq!(Effect::of(exact(1.0), exact(1.0), context).p, 1.0);
}
