//! Simulated runs of `unladen prove` on a machine whose hypervisor gives time to others: the principal type is
//! [`Robbed`].
//!
//! What is simulated is the page, two processors and the bursts in which neighbours take 30–50 % of what is wanted, from
//! all arms alike; the kernel tells it in ticks, as the text of /proc/stat. That text is read by `unladen-machine`; which
//! blocks are left out, and all comparisons, come from `unladen-lockin`.

use std::ops::Range;

use fastrand::Rng;
use unladen_lockin::{
    Change, Conditions, Contrast, Counts, Floor, MARGIN, MIN_BLOCKS, Observations, Phase, Scale, Spoiled,
    SpoiledVerdict, Statistic, compare, contrast, contrast_counts, judge,
};
use unladen_machine::ProcessorTimes;

use crate::comparison::{PHASE, QUANTILES, RATE};
use crate::merge::merge;
use crate::random::{exponential, lognormal};
use crate::tally::Tally;

/// Blocks: five minutes.
const BLOCKS: usize = 50;
/// The baseline, the baseline again, the candidate.
const ARMS: usize = 3;
/// CPU time of a request, s, and its coefficient of variation: a processor is busy for 30 % of the time.
const CPU: (f64, f64) = (0.015, 0.15);
/// Share of requests that wait for something else, and for how long, s, on average.
const SLOW: (f64, f64) = (0.02, 0.04);
/// What neighbours take of the wanted time in a burst: from, to.
const TAKEN: (f64, f64) = (0.3, 0.5);
/// How long a burst lasts, s: from, to.
const BURST: (f64, f64) = (0.5, 5.0);
const PROCESSORS: usize = 2;
/// Ticks of /proc/stat in a second.
const TICKS: f64 = 100.0;

/// A machine whose time is stolen in bursts.
#[derive(Debug, Clone, Copy)]
pub struct Robbed {
    /// The share of all time that bursts fill.
    pub fill: f64,
    /// The kernel counts stolen time as CPU time of the requests, as some do.
    pub counts_stolen: bool,
}

/// What came of experiments.
#[derive(Debug, Clone, Copy, Default)]
pub struct Proven {
    /// Coverage and bias of the ratio of each of [`QUANTILES`], of its logarithm.
    pub latencies: [Tally; QUANTILES.len()],
    /// Likewise of the CPU time that the candidate takes more, as a share of the baseline's.
    pub cpu: Tally,
    /// Experiments whose spoiled blocks were left out, and blocks that were, of all.
    pub left_out: (u64, u64),
    /// Experiments with equal arms in which p50 was said to differ.
    pub called: u64,
}

/// Bursts, one after the other.
struct Bursts {
    /// Begin, end, and what is taken meanwhile.
    all: Vec<(f64, f64, f64)>,
}

/// An experiment that was run.
struct Ran {
    arms: [Observations; ARMS],
    cpu: [Counts; ARMS],
    /// Whether spoiled blocks were left out, and how many.
    left_out: Option<usize>,
}

impl Robbed {
    /// Experiments whose candidate takes `ratio` times as long.
    pub fn prove(&self, ratio: f64, runs: Range<u64>) -> Proven {
        let mut proven = Proven::default();
        for run in runs {
            let ran = self.run(run, ratio);
            proven.push(&ran, ratio);
            proven.called += u64::from(self.run(run, 1.0).is_called());
        }
        proven
    }

    fn run(&self, run: u64, ratio: f64) -> Ran {
        let setting = (self.fill * 1e3) as u64;
        let mut rng = Rng::with_seed(run.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ setting.wrapping_mul(0x2545_f491));
        let horizon = (BLOCKS * ARMS * 2) as f64 * PHASE;
        let bursts = Bursts::new(self.fill, horizon * 1.1, &mut rng);
        let (mut now, mut free) = (0.0, [0.0_f64; PROCESSORS]);
        let (mut busy, mut stolen) = (0.0, 0.0);
        let (mut blocks, mut conditions) = (Vec::new(), Vec::new());
        for _ in 0..BLOCKS {
            let mut of_block: [(Vec<u64>, Phase); ARMS] = Default::default();
            let (begun, before) = (now, told(busy, stolen, now));
            let mut order: Vec<usize> = (0..ARMS).collect();
            rng.shuffle(&mut order);
            let back: Vec<usize> = order.iter().rev().copied().collect();
            for arm in order.into_iter().chain(back) {
                let factor = if arm == ARMS - 1 { ratio } else { 1.0 };
                let (latencies, phase) = &mut of_block[arm];
                for _ in 0..(RATE * PHASE) as usize {
                    now += 1.0 / RATE;
                    let waits = if rng.f64() < SLOW.0 { exponential(&mut rng, SLOW.1) * factor } else { 0.0 };
                    let cpu = lognormal(&mut rng, CPU.0, CPU.1) * factor;
                    let processor = usize::from(free[1] < free[0]);
                    let start = now.max(free[processor]);
                    let end = bursts.end_of(start, cpu);
                    free[processor] = end;
                    (busy, stolen) = (busy + cpu, stolen + (end - start - cpu));
                    latencies.push(((end - now + waits) * 1e9) as u64);
                    phase.count += if self.counts_stolen { end - start } else { cpu } * 1e9;
                    phase.requests += 1;
                }
                phase.duration_ns += (PHASE * 1e9) as u64;
            }
            let after = told(busy, stolen, now);
            conditions.push(between(before, after, now - begun));
            blocks.push(of_block);
        }
        let spoiled = Spoiled::of(&conditions, |kept| kept.iter().filter(|kept| **kept).count() >= MIN_BLOCKS);
        Ran::of(blocks, &spoiled)
    }
}

/// /proc/stat as the kernel writes it, and as `unladen` reads it.
fn told(busy: f64, stolen: f64, now: f64) -> ProcessorTimes {
    let ticks = |time: f64| (time.max(0.0) * TICKS) as u64;
    let idle = now * PROCESSORS as f64 - busy - stolen;
    let all = format!("{} 0 0 {} 0 0 0 {} 0 0", ticks(busy), ticks(idle), ticks(stolen));
    let stat = format!("cpu  {all}\ncpu0 {all}\ncpu1 {all}\nintr 7\n");
    ProcessorTimes::parse(stat.as_bytes()).unwrap_or_default()
}

fn between(before: ProcessorTimes, after: ProcessorTimes, elapsed: f64) -> Conditions {
    Conditions {
        elapsed_ns: elapsed * 1e9,
        available_ns: elapsed * 1e9 * after.processors as f64,
        busy_ns: after.busy_ns.saturating_sub(before.busy_ns) as f64,
        stolen_ns: after.stolen_ns.saturating_sub(before.stolen_ns) as f64,
        throttled_ns: 0.0,
    }
}

impl Bursts {
    fn new(fill: f64, horizon: f64, rng: &mut Rng) -> Self {
        let between = |rng: &mut Rng, (from, to): (f64, f64)| from + (to - from) * rng.f64();
        let mut all = Vec::new();
        let mut now = 0.0;
        while fill > 0.0 && now < horizon {
            let length = between(rng, BURST);
            now += exponential(rng, (BURST.0 + BURST.1) / 2.0 * (1.0 - fill) / fill);
            all.push((now, now + length, between(rng, TAKEN)));
            now += length;
        }
        Self { all }
    }

    /// When work of so much CPU time is done that begins now.
    fn end_of(&self, start: f64, cpu: f64) -> f64 {
        let (mut now, mut left) = (start, cpu);
        let next = self.all.partition_point(|(_, end, _)| *end <= start);
        for (begin, end, taken) in &self.all[next..] {
            let alone = (begin - now).max(0.0);
            if left <= alone {
                return now + left;
            }
            (now, left) = (now.max(*begin), left - alone);
            let granted = (end - now) * (1.0 - taken);
            if left <= granted {
                return now + left / (1.0 - taken);
            }
            (now, left) = (*end, left - granted);
        }
        now + left
    }
}

impl Ran {
    fn of(blocks: Vec<[(Vec<u64>, Phase); ARMS]>, spoiled: &Spoiled) -> Self {
        let (mut arms, mut cpu): ([Observations; ARMS], [Counts; ARMS]) = Default::default();
        for (index, block) in blocks.into_iter().enumerate().filter(|(index, _)| !spoiled.is_left_out(*index)) {
            debug_assert!(index < BLOCKS);
            for (arm, (latencies, phase)) in block.into_iter().enumerate() {
                arms[arm].push_block(latencies);
                cpu[arm].push_block(phase);
            }
        }
        let left_out = (spoiled.verdict == SpoiledVerdict::LeftOut).then(|| spoiled.count());
        Self { arms, cpu, left_out }
    }

    fn pooled(&self) -> Observations {
        Observations::pooled(&[&self.arms[0], &self.arms[1]])
    }

    /// The CPU time of the candidate less that of the baseline, ns.
    fn cpu(&self) -> Option<Contrast> {
        let baseline = Counts::pooled(&[&self.cpu[0], &self.cpu[1]]);
        contrast_counts(&[(1.0, &self.cpu[2]), (-1.0, &baseline)], None, Scale::Difference).ok()
    }

    /// Whether p50 is said to differ.
    fn is_called(&self) -> bool {
        let median = Statistic::Quantile(0.5);
        let of = |terms: &[(f64, &Observations)]| contrast(terms, median, Scale::Ratio).ok();
        let same = of(&[(1.0, &self.arms[1]), (-1.0, &self.arms[0])]);
        let effect = of(&[(1.0, &self.arms[2]), (-1.0, &self.pooled())]);
        effect.zip(same).is_some_and(|(effect, same)| {
            matches!(judge(&effect, &Floor::of(&same), effect.p_value, MARGIN), Change::Faster | Change::Slower)
        })
    }
}

impl Proven {
    fn push(&mut self, ran: &Ran, ratio: f64) {
        let pooled = ran.pooled();
        for (tally, (_, statistic)) in self.latencies.iter_mut().zip(QUANTILES) {
            if let Ok(found) = compare(&ran.arms[2], &pooled, statistic) {
                let log = |value: f64| 1.0 + (value / ratio).ln();
                tally.push(1.0, log(found.value), log(found.low), log(found.high));
            }
        }
        if let Some(Contrast { value, low, high, .. }) = ran.cpu() {
            let cost = CPU.0 * 1e9;
            let as_share = |of: f64| 1.0 + of / cost - (ratio - 1.0);
            self.cpu.push(1.0, as_share(value), as_share(low), as_share(high));
        }
        if let Some(blocks) = ran.left_out {
            self.left_out = (self.left_out.0 + 1, self.left_out.1 + blocks as u64);
        }
    }

    /// The share of all blocks that were left out.
    pub fn left_out_share(&self) -> f64 {
        self.left_out.1 as f64 / (self.cpu.runs().max(1) * BLOCKS as u64) as f64
    }
}

merge! { Proven { latencies, cpu, left_out, called } }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_longer_within_a_burst() {
        let bursts = Bursts { all: vec![(1.0, 2.0, 0.5), (3.0, 4.0, 0.5)] };
        for (start, cpu, end) in [(0.0, 0.5, 0.5), (0.5, 0.6, 1.2), (1.0, 0.25, 1.5), (0.0, 2.0, 2.5), (1.5, 2.0, 4.25)]
        {
            assert!((bursts.end_of(start, cpu) - end).abs() < 1e-9, "{start} {cpu}: {}", bursts.end_of(start, cpu));
        }
    }
}
