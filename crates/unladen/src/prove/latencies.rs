//! The principal function is [`compare`]: how the arms' latencies differ from the baseline's.

use std::time::Duration;

use unladen_document::{Comparison, Metric};
use unladen_lockin::{CannotCompare, Contrast, Counts, Floor, Observations, Scale, Statistic, contrast};
use unladen_report::bucket_name;

use crate::condition::Condition;
use crate::latency::BUCKETS_MS;
use crate::prove::effect::{Effect, judged};
use crate::prove::measured::{BASELINE, BASELINE_AGAIN, Measured};
use crate::prove::recording::BlockRecord;

/// Informative buckets: neither all nor none of the baseline's requests are within.
const TELLING: std::ops::RangeInclusive<f64> = 0.01..=0.99;

/// The requests of every arm, warm and cold, in a comparable shape.
pub(crate) struct Arms {
    pub(crate) warm: Vec<Observations>,
    pub(crate) cold: Vec<Observations>,
    throughput: Vec<Counts>,
}

/// A latency metric: its name, its origin, and what it is.
pub(crate) struct Wanted {
    name: String,
    is_cold: bool,
    pub(crate) statistic: Statistic,
}

impl Arms {
    pub(crate) fn of(measured: &Measured<'_>) -> Self {
        let recording = measured.recording;
        let arms = || 0..measured.arms.len();
        let throughput = |arm: usize| {
            recording.counts(move |block: &BlockRecord| {
                let record = &block.arms[arm];
                // Requests per ns: requests are counted against time.
                unladen_lockin::Phase {
                    duration_ns: record.sending_ns,
                    requests: record.sending_ns,
                    count: record.answered as f64,
                }
            })
        };
        Self {
            warm: arms().map(|arm| recording.observations(move |block| &block.arms[arm].latencies_ns)).collect(),
            cold: arms().map(|arm| recording.observations(move |block| &block.arms[arm].cold_ns)).collect(),
            throughput: arms().map(throughput).collect(),
        }
    }

    pub(crate) fn baseline(&self, is_cold: bool) -> Observations {
        let of = if is_cold { &self.cold } else { &self.warm };
        Observations::pooled(&[&of[BASELINE], &of[BASELINE_AGAIN]])
    }
}

impl Wanted {
    /// All metrics of an experiment, the headline first.
    pub(crate) fn all(measured: &Measured<'_>, arms: &Arms) -> Vec<Self> {
        let mut wanted = Vec::new();
        let has_cold = measured.options.experiment.cold.is_some();
        for is_cold in [false, true].into_iter().filter(|is_cold| !is_cold || has_cold) {
            let prefix = if is_cold { "cold." } else { "" };
            for (name, share) in measured.options.quantiles() {
                wanted.push(Self {
                    name: format!("{prefix}latency.{name}"),
                    is_cold,
                    statistic: Statistic::Quantile(share),
                });
            }
            wanted.push(Self { name: format!("{prefix}latency.mean"), is_cold, statistic: Statistic::Mean });
        }
        let baseline = arms.baseline(false);
        let asked = &measured.options.experiment.within;
        let usual: Vec<Duration> = BUCKETS_MS.map(Duration::from_millis).to_vec();
        let conditions = measured.options.fail_on.iter().filter_map(Condition::within);
        let mut bounds: Vec<Duration> = conditions.chain(asked.iter().copied()).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let is_asked = |bound: &Duration| bounds.contains(bound);
        let others = if asked.is_empty() { usual } else { Vec::new() };
        let others = others.iter().filter(|bound| !is_asked(bound));
        for bound in bounds.iter().chain(others) {
            let ns = u64::try_from(bound.as_nanos()).unwrap_or(u64::MAX);
            let tells = || baseline.value(Statistic::Within(ns)).is_some_and(|share| TELLING.contains(&share));
            if is_asked(bound) || tells() {
                let name = format!("within.{}", bucket_name(*bound));
                wanted.push(Self { name, is_cold: false, statistic: Statistic::Within(ns) });
            }
        }
        wanted
    }
}

/// Compares every other arm with the baseline; also returns what could not be compared, and why.
pub(crate) fn compare(measured: &Measured<'_>, arms: &Arms) -> (Vec<Comparison>, Vec<(String, CannotCompare)>) {
    let wanted = Wanted::all(measured, arms);
    let (mut effects, mut refused) = (Vec::new(), Vec::new());
    for metric in &wanted {
        let of = if metric.is_cold { &arms.cold } else { &arms.warm };
        let baseline = arms.baseline(metric.is_cold);
        for arm in BASELINE_AGAIN + 1..of.len() {
            match effect(arm, metric, of, &baseline) {
                Ok(effect) => effects.push(effect),
                Err(why) => {
                    refused.push((metric.name.clone(), why));
                    break;
                }
            }
        }
    }
    if measured.is_closed() {
        effects.extend((BASELINE_AGAIN + 1..arms.throughput.len()).filter_map(|arm| throughput(arm, arms)));
    }
    (judged(measured.arms, measured.elapsed, effects), refused)
}

fn effect(arm: usize, metric: &Wanted, of: &[Observations], baseline: &Observations) -> Result<Effect, CannotCompare> {
    let terms = [(1.0, &of[arm]), (-1.0, baseline)];
    let same = [(1.0, &of[BASELINE_AGAIN]), (-1.0, &of[BASELINE])];
    let statistic = metric.statistic;
    let difference = contrast(&terms, statistic, Scale::Difference)?;
    // A share of nothing has no ratio.
    let with_ratio = contrast(&terms, statistic, Scale::Ratio)
        .and_then(|ratio| Ok((ratio, Floor::of(&contrast(&same, statistic, Scale::Ratio)?))))
        .ok()
        .filter(|_| !matches!(statistic, Statistic::Within(_)));
    let floor = match &with_ratio {
        Some((_, floor)) => *floor,
        None => Floor::of(&contrast(&same, statistic, Scale::Difference)?),
    };
    let kind = if matches!(statistic, Statistic::Within(_)) { Metric::Within } else { Metric::Latency };
    Ok(Effect {
        arm,
        metric: metric.name.clone(),
        kind,
        baseline: mean_of_both(&of[BASELINE], &of[BASELINE_AGAIN], statistic),
        candidate: of[arm].value(statistic).unwrap_or(f64::NAN),
        ratio: with_ratio.map(|(ratio, _)| ratio),
        difference,
        absolute: contrast(&[(1.0, &of[arm])], statistic, Scale::Difference).ok(),
        floor,
    })
}

/// The candidate's reference: the mean of the two baseline arms' own estimates, not that of their pooled requests,
/// which differs where few requests are near the quantile.
fn mean_of_both(baseline: &Observations, again: &Observations, statistic: Statistic) -> f64 {
    let value = |arm: &Observations| arm.value(statistic).unwrap_or(f64::NAN);
    f64::midpoint(value(baseline), value(again))
}

fn throughput(arm: usize, arms: &Arms) -> Option<Effect> {
    /// From per ns to per s.
    const PER_SECOND: f64 = 1e9;
    let scaled = |of: Contrast| Contrast {
        value: of.value * PER_SECOND,
        low: of.low * PER_SECOND,
        high: of.high * PER_SECOND,
        ..of
    };
    let effect = Effect::of_counts(arm, "throughput", Metric::Throughput, &arms.throughput)?;
    Some(Effect {
        baseline: effect.baseline * PER_SECOND,
        candidate: effect.candidate * PER_SECOND,
        // A rate has a ratio, or cannot be judged.
        ratio: Some(effect.ratio?),
        difference: scaled(effect.difference),
        absolute: effect.absolute.map(scaled),
        ..effect
    })
}
