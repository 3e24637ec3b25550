//! Simulated runs of `unladen prove`: the principal type is [`Experiment`], one of them, whose true ratio is known.
//!
//! All estimates and verdicts come from `unladen-lockin`; what is simulated is the page, the machine, and the order of
//! phases: in each block every arm has two, in a random order and then its reverse.

use std::ops::Range;

use fastrand::Rng;
use unladen_lockin::{
    Change, Contrast, Family, Floor, MARGIN, MARGIN_OF_SHARES, Observations, Scale, Statistic, adjust_comparisons,
    compare, contrast, judge,
};

use crate::merge::merge;
use crate::random::{exponential, lognormal, normal};
use crate::tally::{Tally, wilson};

/// Requests a second.
pub const RATE: f64 = 40.0;
/// Length of a phase, s.
pub const PHASE: f64 = 1.0;
/// The baseline, the baseline again, the candidate.
const ARMS: usize = 3;
/// Blocks of the longer experiments: five minutes.
pub const FIVE_MINUTES: usize = 50;

/// Of most requests, ns.
const BODY: f64 = 20e6;
/// Their coefficient of variation.
const BODY_CV: f64 = 0.15;
/// Share of requests that wait for something else.
const SLOW: f64 = 0.02;
/// For how long, ns, on average (exponential).
const SLOW_BY: f64 = 40e6;

/// Log of the machine's speed from phase to phase: its correlation, and its spread.
const WANDERING: (f64, f64) = (0.9, 0.05);
/// By how much the machine slows down over a run.
const DRIFT: f64 = 0.3;
/// And how fast it swings, s.
const SWING: f64 = 70.0;
/// Bursts: how much slower, for how long and how long not, s, on average.
const BURSTS: (f64, f64, f64) = (1.5, 1.0, 4.0);
/// Spread of the factor by which an arm is faster or slower from one start to the next.
const RESTARTS: f64 = 0.01;

/// Metrics whose coverage is shown.
pub const QUANTILES: [(&str, Statistic); 5] = [
    ("mean", Statistic::Mean),
    ("p50", Statistic::Quantile(0.5)),
    ("p90", Statistic::Quantile(0.9)),
    ("p95", Statistic::Quantile(0.95)),
    ("p99", Statistic::Quantile(0.99)),
];
/// What the experiment is about.
const HEADLINE: Statistic = Statistic::Quantile(0.5);
/// All other metrics of an experiment.
const OTHERS: [Statistic; 9] = [
    Statistic::Mean,
    Statistic::Quantile(0.75),
    Statistic::Quantile(0.9),
    Statistic::Quantile(0.95),
    Statistic::Quantile(0.99),
    Statistic::Within(20_000_000),
    Statistic::Within(25_000_000),
    Statistic::Within(50_000_000),
    Statistic::Within(100_000_000),
];

/// The first metrics of an experiment are of latency.
const LATENCIES: usize = 6;

/// What the machine does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    Quiet,
    /// Its speed wanders: autocorrelated from phase to phase.
    Wandering,
    /// It becomes slower over the run, and swings.
    Drifting,
    /// It is slower by half for a fifth of the time, in bursts of a second.
    Bursty,
    /// It wanders, and has bursts.
    Noisy,
}

/// An experiment's surroundings and length.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// What the machine does.
    pub machine: Machine,
    /// Starts of the services; with more than one, each arm is a little different from start to start.
    pub restarts: usize,
    /// Blocks of each.
    pub blocks: usize,
}

/// An experiment that was run.
#[derive(Debug)]
pub struct Experiment {
    baseline: Observations,
    again: Observations,
    candidate: Observations,
    pooled: Observations,
}

/// What was said of experiments.
#[derive(Debug, Clone, Copy, Default)]
pub struct Said {
    pub experiments: u64,
    /// Those in which any metric was said to have changed.
    pub any: u64,
    /// Those in which the headline (p50) was said to have.
    pub headline: u64,
    /// Those in which any metric was said to have changed in the wrong direction.
    pub wrong: u64,
    /// Those in which the headline was said to show no measurable difference.
    pub headline_equal: u64,
    /// Those in which each of the metrics of latency was, in the order of an experiment.
    pub equal: [u64; LATENCIES],
}

impl Machine {
    /// As in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Wandering => "wandering",
            Self::Drifting => "drifting",
            Self::Bursty => "bursty",
            Self::Noisy => "wandering and bursty",
        }
    }

    fn wanders(self) -> bool {
        matches!(self, Self::Wandering | Self::Noisy)
    }

    fn has_bursts(self) -> bool {
        matches!(self, Self::Bursty | Self::Noisy)
    }
}

impl Setting {
    /// Without restarts.
    pub const fn once(machine: Machine, blocks: usize) -> Self {
        Self { machine, restarts: 1, blocks }
    }

    /// The length, s.
    pub fn time(&self) -> f64 {
        (self.restarts * self.blocks * ARMS * 2) as f64 * PHASE
    }

    /// Runs the experiment of this number, whose candidate takes `ratio` times as long.
    pub fn run(&self, run: u64, ratio: f64) -> Experiment {
        let setting = (self.machine as u64) << 32 | (self.restarts as u64) << 16 | self.blocks as u64;
        let mut rng = Rng::with_seed(run.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ setting.wrapping_mul(0x2545_f491));
        let mut arms: [Observations; ARMS] = Default::default();
        let mut speed = Speed { machine: self.machine, horizon: self.time(), wander: None, burst: None, now: 0.0 };
        for _ in 0..self.restarts {
            let factors = [1.0, 1.0, ratio].map(|of_arm| {
                let of_start = if self.restarts > 1 { (RESTARTS * normal(&mut rng)).exp() } else { 1.0 };
                of_arm * of_start
            });
            arms.iter_mut().for_each(Observations::begin_restart);
            for _ in 0..self.blocks {
                let mut latencies: [Vec<u64>; ARMS] = Default::default();
                let mut order: Vec<usize> = (0..ARMS).collect();
                rng.shuffle(&mut order);
                let back: Vec<usize> = order.iter().rev().copied().collect();
                for arm in order.into_iter().chain(back) {
                    speed.begin_phase(&mut rng);
                    for _ in 0..(RATE * PHASE) as usize {
                        let factor = factors[arm] * speed.after(1.0 / RATE, &mut rng);
                        latencies[arm].push((request(&mut rng) * factor) as u64);
                    }
                }
                arms.iter_mut().zip(latencies).for_each(|(arm, latencies)| arm.push_block(latencies));
            }
        }
        let [baseline, again, candidate] = arms;
        let pooled = Observations::pooled(&[&baseline, &again]);
        Experiment { baseline, again, candidate, pooled }
    }

    /// Coverage and bias of the ratio of each of [`QUANTILES`]. Errors and widths are those of its logarithm, in which
    /// twice as long and half as long are as far from the truth.
    pub fn coverage(&self, ratio: f64, runs: Range<u64>) -> [Tally; QUANTILES.len()] {
        let mut tallies = [Tally::default(); QUANTILES.len()];
        for run in runs {
            let experiment = self.run(run, ratio);
            for (tally, (_, statistic)) in tallies.iter_mut().zip(QUANTILES) {
                if let Ok(found) = experiment.ratio(statistic) {
                    let log = |value: f64| 1.0 + (value / ratio).ln();
                    tally.push(1.0, log(found.value), log(found.low), log(found.high));
                }
            }
        }
        tallies
    }

    /// What is said of experiments whose candidate takes `ratio` times as long.
    pub fn said(&self, ratio: f64, runs: Range<u64>) -> Said {
        let mut said = Said::default();
        for run in runs {
            let changes = self.run(run, ratio).changes();
            said.experiments += 1;
            said.any += u64::from(changes.iter().any(|change| change.is_told()));
            said.headline += u64::from(changes.first().is_some_and(|change| change.is_told()));
            let is_equal = |change: &Change| u64::from(*change == Change::NoMeasurableDifference);
            said.headline_equal += changes.first().map_or(0, is_equal);
            said.equal.iter_mut().zip(&changes).for_each(|(equal, change)| *equal += is_equal(change));
            said.wrong += u64::from(changes.iter().any(|change| match change {
                Change::Faster => ratio >= 1.0,
                Change::Slower => ratio <= 1.0,
                _ => false,
            }));
        }
        said
    }
}

/// Time of a request on a machine of even speed, ns.
fn request(rng: &mut Rng) -> f64 {
    let body = lognormal(rng, BODY, BODY_CV);
    if rng.f64() < SLOW { body + exponential(rng, SLOW_BY) } else { body }
}

/// By how much all requests are slower at the moment.
struct Speed {
    machine: Machine,
    horizon: f64,
    /// Logarithm of the factor of this phase.
    wander: Option<f64>,
    /// Whether there is one, and until when.
    burst: Option<(bool, f64)>,
    now: f64,
}

impl Speed {
    fn begin_phase(&mut self, rng: &mut Rng) {
        if self.machine.wanders() {
            let (correlation, spread) = WANDERING;
            let before = self.wander.unwrap_or_else(|| spread * normal(rng));
            self.wander = Some(correlation * before + spread * (1.0 - correlation * correlation).sqrt() * normal(rng));
        }
    }

    fn after(&mut self, time: f64, rng: &mut Rng) -> f64 {
        self.now += time;
        let mut factor = self.wander.map_or(1.0, f64::exp);
        if self.machine == Machine::Drifting {
            let swing = 0.05 * (std::f64::consts::TAU * self.now / SWING).sin();
            factor *= 1.0 + DRIFT * self.now / self.horizon + swing;
        }
        if self.machine.has_bursts() {
            let (slower, on, off) = BURSTS;
            let (mut is_on, mut until) = self.burst.unwrap_or((false, exponential(rng, off)));
            while until < self.now {
                is_on = !is_on;
                until += exponential(rng, if is_on { on } else { off });
            }
            self.burst = Some((is_on, until));
            factor *= if is_on { slower } else { 1.0 };
        }
        factor
    }
}

impl Experiment {
    /// The candidate against the pooled baseline.
    pub fn ratio(&self, statistic: Statistic) -> Result<Contrast, unladen_lockin::CannotCompare> {
        compare(&self.candidate, &self.pooled, statistic)
    }

    /// What is said of all metrics that the data carry, the headline first.
    pub fn changes(&self) -> Vec<Change> {
        let judged: Vec<(Contrast, Floor)> = [HEADLINE]
            .into_iter()
            .chain(OTHERS)
            .filter_map(|statistic| {
                let scale = if matches!(statistic, Statistic::Within(_)) { Scale::Difference } else { Scale::Ratio };
                let same = contrast(&[(1.0, &self.again), (-1.0, &self.baseline)], statistic, scale).ok()?;
                let effect = contrast(&[(1.0, &self.candidate), (-1.0, &self.pooled)], statistic, scale).ok()?;
                Some((effect, Floor::of(&same)))
            })
            .collect();
        let Some(((headline, _), others)) = judged.split_first() else { return Vec::new() };
        let family =
            Family { deciding: headline.p_value, others: others.iter().map(|(effect, _)| effect.p_value).collect() };
        let adjusted = adjust_comparisons(&[family]);
        let p_values = adjusted.iter().flat_map(|family| [family.deciding].into_iter().chain(family.others.clone()));
        let margin = |effect: &Contrast| if effect.scale == Scale::Ratio { MARGIN } else { MARGIN_OF_SHARES };
        judged.iter().zip(p_values).map(|((effect, floor), p)| judge(effect, floor, p, margin(effect))).collect()
    }
}

impl Said {
    /// So many experiments as a share of all.
    pub fn share(&self, of: u64) -> f64 {
        of as f64 / self.experiments as f64
    }

    /// The 95 % interval of that share.
    pub fn interval(&self, of: u64) -> (f64, f64) {
        wilson(of, self.experiments, 1.96)
    }
}

merge! { Said { experiments, any, headline, wrong, headline_equal, equal } }
