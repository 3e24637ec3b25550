//! Simulated comparisons of a counter: what two arms differ by per request, beside a background.

use std::ops::Range;

use fastrand::Rng;
use unladen_lockin::{Contrast, Counts, FALSE_DISCOVERY_RATE, Phase, Scale, contrast_counts};

use crate::background::{Background, Kind};
use crate::random::{exponential, lognormal};
use crate::tally::Tally;

/// Of a request of the baseline, ns, and the coefficient of variation.
const COST: (f64, f64) = (20e6, 0.3);
/// What the candidate adds, ns.
const ADDED: f64 = 2e6;
/// Requests in a phase, and its length in s.
const PHASE: (u64, f64) = (20, 1.0);
/// By how much phases overrun, s, on average.
const LATE: f64 = 5e-3;
/// The baseline, the candidate, and nothing.
const ARMS: usize = 3;

/// Coverage and bias of the candidate's difference (errors as shares of the baseline's cost), and how many runs of
/// equal arms had a p-value of at most 5 %.
pub fn differences(background: Kind, blocks: usize, has_idle: bool, runs: Range<u64>) -> (Tally, u64) {
    let (mut tally, mut called) = (Tally::default(), 0);
    for run in runs {
        let difference = |added: f64| {
            let [baseline, candidate, idle] = arms(background, blocks, run, added);
            let terms = [(1.0, &candidate), (-1.0, &baseline)];
            contrast_counts(&terms, has_idle.then_some(&idle), Scale::Difference)
        };
        let (Ok(Contrast { value, low, high, .. }), Ok(same)) = (difference(ADDED), difference(0.0)) else { continue };
        let as_share = |of: f64| 1.0 + (of - ADDED) / COST.0;
        tally.push(1.0, as_share(value), as_share(low), as_share(high));
        called += u64::from(same.p_value <= FALSE_DISCOVERY_RATE);
    }
    (tally, called)
}

fn arms(background: Kind, blocks: usize, run: u64, added: f64) -> [Counts; ARMS] {
    let mut rng = Rng::with_seed(run.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (background as u64) << 8 ^ blocks as u64);
    let horizon = (blocks * ARMS * 2) as f64 * PHASE.1;
    let mut background = Background::new(background, rng.u64(..), horizon);
    let mut arms: [Counts; ARMS] = Default::default();
    let (mut now, mut before) = (0.0, 0.0);
    for _ in 0..blocks {
        let mut of_block = [Phase::default(); ARMS];
        let mut order: Vec<usize> = (0..ARMS).collect();
        rng.shuffle(&mut order);
        let back: Vec<usize> = order.iter().rev().copied().collect();
        for arm in order.into_iter().chain(back) {
            let length = PHASE.1 + exponential(&mut rng, LATE);
            now += length;
            let after = background.count_at(now);
            let phase = &mut of_block[arm];
            phase.duration_ns += (length * 1e9) as u64;
            phase.count += after - before;
            before = after;
            if arm < ARMS - 1 {
                phase.requests += PHASE.0;
                let cost = COST.0 + if arm == 1 { added } else { 0.0 };
                phase.count += (0..PHASE.0).map(|_| lognormal(&mut rng, cost, COST.1)).sum::<f64>();
            }
        }
        arms.iter_mut().zip(of_block).for_each(|(arm, phase)| arm.push_block(phase));
    }
    arms
}
