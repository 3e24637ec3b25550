//! The estimator of psdbench, mySociety's script of 2006 for PledgeBank, written anew from its author's description
//! (mysociety.org, "How (not) to survive a Slashdotting"): request a page for a while and count the CPU time of each
//! user's processes, sleep for as long and count again; the differences are what the requests cost, repeated for a mean
//! and its spread. So: always `on` before `off`, no gap between them, times in ticks, ended processes lost.

use std::ops::Range;

use crate::background::Background;
use crate::simulate::Scene;
use crate::subject::Subject;
use crate::tally::Tally;

/// A clock tick, ns.
const TICK: f64 = 10e6;

/// The cycles of a run.
#[derive(Debug, Clone, Copy)]
pub struct Cycles {
    /// Length of its on phase, s; the off phase is as long as that turned out to be.
    pub phase: f64,
    pub cycles: usize,
    /// The part of each request's cost that is in processes that end with it.
    pub short_lived: f64,
}

/// Its result: per request, ns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Mean over the cycles.
    pub mean: f64,
    /// Standard deviation of the cycles: its ±.
    pub sd: f64,
}

/// One run.
pub fn run(scene: &Scene, run: u64, shape: &Cycles) -> Estimate {
    let [_, subject, background, _] = scene.seeds(run);
    let mut subject = Subject::new(scene.costs, subject);
    let mut background = Background::new(scene.background, background, 2.0 * shape.phase * shape.cycles as f64);
    let mut now = 0.0;
    let read = |now: f64, subject: &Subject, background: &mut Background| {
        let seen = background.count_at(now) + subject.count_at(now) * (1.0 - shape.short_lived);
        (seen / TICK).floor() * TICK
    };
    let per_cycle: Vec<f64> = (0..shape.cycles)
        .map(|_| {
            let (begun, at_begin) = (now, read(now, &subject, &mut background));
            let mut requests = 0.0;
            while now < begun + shape.phase {
                now = subject.request(now, &mut background);
                requests += 1.0;
            }
            let at_turn = read(now, &subject, &mut background);
            now += now - begun;
            let at_end = read(now, &subject, &mut background);
            ((at_turn - at_begin) - (at_end - at_turn)) / requests
        })
        .collect();
    let n = per_cycle.len() as f64;
    let mean = per_cycle.iter().sum::<f64>() / n;
    let sd = (per_cycle.iter().map(|cycle| (cycle - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    Estimate { mean, sd }
}

/// Many runs: its printed mean ± SD, and what a proper ± (1.96 standard errors of the same cycles) would have been.
pub fn runs(scene: &Scene, shape: &Cycles, runs: Range<u64>) -> (Tally, Tally) {
    let (mut printed, mut proper) = (Tally::default(), Tally::default());
    for number in runs {
        let Estimate { mean, sd } = run(scene, number, shape);
        let error = 1.96 * sd / (shape.cycles as f64).sqrt();
        printed.push(scene.costs.truth(), mean, mean - sd, mean + sd);
        proper.push(scene.costs.truth(), mean, mean - error, mean + error);
    }
    (printed, proper)
}
