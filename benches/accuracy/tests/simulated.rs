//! What docs/reference/accuracy.md shows, with fewer runs: an estimator or planner that breaks a promise fails here.

use unladen_accuracy::background::Kind;
use unladen_accuracy::comparison::{FIVE_MINUTES, Machine, QUANTILES, Setting};
use unladen_accuracy::counting;
use unladen_accuracy::hosts::Way;
use unladen_accuracy::psdbench::{self, Cycles};
use unladen_accuracy::simulate::{self, Scene};
use unladen_accuracy::stolen::{Proven, Robbed};
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
fn counters_of_another_machine_are_right_whatever_its_clock_and_the_way_to_it_do() {
    for (background, way) in [(Kind::Steady, Way::TOWN), (Kind::Bursty, Way::TOWN), (Kind::Bursty, Way::BAD)] {
        let weighed = way.weigh(background, BLOCKS, 0..RUNS);
        assert_eq!(weighed.there.shortfalls(&LIMITS), [], "{background:?}: {weighed:?}");
        assert_eq!(weighed.both.shortfalls(&LIMITS), [], "{background:?}: {weighed:?}");
        assert_eq!(way.is_bad, weighed.lost.0 > 0, "{weighed:?}");
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

/// Comparisons of some thousand latencies each.
const FEW: u64 = 150;

#[test]
fn intervals_of_compared_latencies_cover_the_truth_on_every_machine() {
    let restarts = Setting { machine: Machine::Noisy, restarts: 5, blocks: 5 };
    for setting in [Machine::Quiet, Machine::Wandering, Machine::Drifting, Machine::Bursty]
        .map(|machine| Setting::once(machine, 20))
        .into_iter()
        .chain([restarts])
    {
        for (tally, (metric, _)) in setting.coverage(1.02, 0..FEW).iter().zip(QUANTILES) {
            assert_eq!(tally.shortfalls(&LIMITS), [], "{metric}, {setting:?}: {tally:?}");
            assert_eq!(tally.runs(), FEW);
        }
    }
}

#[test]
fn equal_arms_are_rarely_said_to_differ_and_a_slower_one_is_said_to_be() {
    let said = Setting::once(Machine::Wandering, 20).said(1.0, 0..FEW);
    // At most one in twenty on average, and three standard errors of that.
    assert!((said.any as f64) < FEW as f64 * (0.05 + 3.3 * (0.05 * 0.95 / FEW as f64).sqrt()), "{said:?}");
    let said = Setting::once(Machine::Wandering, FIVE_MINUTES).said(1.02, 0..40);
    assert!(said.headline >= 36, "{said:?}");
}

#[test]
fn intervals_of_compared_counters_cover_the_truth() {
    for background in [Kind::Quiet, Kind::Steady, Kind::Drifting, Kind::Bursty] {
        for has_idle in [true, false] {
            let (tally, called) = counting::differences(background, BLOCKS, has_idle, 0..RUNS);
            let found = tally.shortfalls(&LIMITS);
            assert!(!found.iter().any(|found| matches!(found, Shortfall::Coverage(_))), "{background:?}: {tally:?}");
            assert!((called as f64) < RUNS as f64 * (0.05 + 3.3 * (0.05 * 0.95 / RUNS as f64).sqrt()), "{called}");
        }
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

#[test]
fn intervals_of_comparisons_half_as_wide_break_the_promise() {
    let mut tally = Tally::default();
    for run in 0..FEW {
        let Ok(found) = Setting::once(Machine::Wandering, 20).run(run, 1.02).ratio(QUANTILES[0].1) else { continue };
        let half = found.half_width() / 2.0;
        tally.push(1.02, found.value, found.value - half, found.value + half);
    }
    assert!(breaks_a_promise(&tally), "{tally:?}");
}

/// Neighbours take 30–50 % in bursts, from all arms alike: comparisons of latencies and of CPU times stay right, whether
/// the spoiled blocks are left out or are too many for that.
#[test]
fn steal_in_bursts_leaves_comparisons_unbiased() {
    for (fill, counts_stolen) in [(0.1, false), (0.1, true), (0.4, false)] {
        let robbed = Robbed { fill, counts_stolen };
        let proven = robbed.prove(1.02, 0..STOLEN_RUNS);
        for (tally, (name, _)) in proven.latencies.iter().zip(QUANTILES) {
            assert_eq!(tally.shortfalls(&LIMITS), [], "{robbed:?}, {name}: {tally:?}");
        }
        assert_eq!(proven.cpu.shortfalls(&LIMITS), [], "{robbed:?}, CPU: {:?}", proven.cpu);
        let most = STOLEN_RUNS as f64 * (0.05 + 3.3 * (0.05 * 0.95 / STOLEN_RUNS as f64).sqrt());
        assert!((proven.called as f64) < most, "{proven:?}");
        // Both ways were gone.
        let Proven { left_out: (experiments, _), .. } = proven;
        assert_eq!(experiments > STOLEN_RUNS / 2, fill < 0.2, "{proven:?}");
    }
}

/// Experiments of a row: each has twelve thousand latencies, twice.
const STOLEN_RUNS: u64 = 24;
