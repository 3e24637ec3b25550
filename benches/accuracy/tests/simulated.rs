//! What docs/accuracy.md shows, with fewer runs: an estimator or planner that breaks a promise fails here.

use unladen_accuracy::background::Kind;
use unladen_accuracy::psdbench::{self, Cycles};
use unladen_accuracy::simulate::{self, Scene};
use unladen_accuracy::{Limits, Shortfall, Tally};
use unladen_lockin::{Block, Weight};

/// As many as take some seconds in a debug build.
const RUNS: u64 = 400;
/// As `weigh` makes in half a minute.
const BLOCKS: usize = 15;

/// Fixed seeds make a verdict final; with 3.3 standard errors, one in a thousand sets of seeds would be unlucky.
const LIMITS: Limits = Limits { tolerance: 3.3, ..Limits::PROMISED };

fn estimate(blocks: &[Block]) -> Option<(f64, f64, f64)> {
    let estimate = Weight::of(blocks).ok()?.per_request;
    Some((estimate.value, estimate.low, estimate.high))
}

fn breaks_a_promise(tally: &Tally) -> bool {
    !tally.shortfalls(&LIMITS).is_empty()
}

#[test]
fn intervals_cover_the_truth_and_estimates_are_right_on_average_beside_every_background() {
    for background in Kind::ALL {
        let tally = simulate::fixed(&Scene::of(background), BLOCKS, 0..RUNS);
        assert_eq!(tally.shortfalls(&LIMITS), [], "{background:?}: {tally:?}");
    }
}

#[test]
fn stopping_early_keeps_the_coverage() {
    let stopped = simulate::until(&Scene::of(Kind::Drifting), 0.05, 0..RUNS);
    assert_eq!(stopped.tally.shortfalls(&LIMITS), [], "{stopped:?}");
    assert!(stopped.reached == RUNS, "{stopped:?}");
}

#[test]
fn a_counter_that_does_not_follow_is_rarely_said_to() {
    for background in Kind::ALL {
        let said = simulate::discoveries(&Scene::of(background), BLOCKS, 0..RUNS);
        // At most one in forty on average, and four standard errors of that.
        let most = 0.025 + 4.0 * (0.025 * 0.975 / RUNS as f64).sqrt();
        assert!((said.follow as f64) < most * said.counters as f64, "{background:?}: {said:?}");
    }
}

// The checks above are known to be able to fail:

#[test]
fn the_predecessor_breaks_the_promises_under_drift() {
    for (phase, cycles) in [(0.5, 30), (5.0, 6)] {
        let shape = Cycles { phase, cycles, short_lived: 0.0 };
        let (printed, proper) = psdbench::runs(&Scene::of(Kind::Drifting), &shape, 0..RUNS);
        assert!(breaks_a_promise(&printed) && breaks_a_promise(&proper), "{printed:?} {proper:?}");
    }
    let shape = Cycles { phase: 5.0, cycles: 6, short_lived: 0.0 };
    let (printed, _) = psdbench::runs(&Scene::of(Kind::Drifting), &shape, 0..RUNS);
    assert!(printed.shortfalls(&LIMITS).iter().any(|found| matches!(found, Shortfall::Bias(_))), "{printed:?}");
}

#[test]
fn intervals_half_as_wide_break_the_promise() {
    for background in Kind::ALL {
        let tally = simulate::fixed_by(&Scene::of(background), BLOCKS, 0..RUNS, |blocks| {
            let (value, low, high) = estimate(blocks)?;
            Some((value, value - (value - low) / 2.0, value + (high - value) / 2.0))
        });
        assert!(breaks_a_promise(&tally), "{background:?}: {tally:?}");
    }
}

#[test]
fn estimates_three_percent_too_high_break_the_promise() {
    let tally = simulate::fixed_by(&Scene::of(Kind::Quiet), BLOCKS, 0..RUNS, |blocks| {
        let (value, low, high) = estimate(blocks)?;
        Some((value * 1.03, low * 1.03, high * 1.03))
    });
    let found = tally.shortfalls(&LIMITS);
    assert!(found.iter().any(|found| matches!(found, Shortfall::Bias(_))), "{tally:?}");
}
