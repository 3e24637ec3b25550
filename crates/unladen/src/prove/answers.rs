//! The principal function is [`answers`]: compares the arms' answers by body bytes and statuses.

use std::collections::BTreeSet;

use unladen_document::{Comparison, Metric};
use unladen_lockin::{Counts, Phase};

use crate::condition::{Condition, StatusRange};
use crate::prove::effect::{Effect, judged};
use crate::prove::measured::{BASELINE_AGAIN, Measured};
use crate::prove::recording::{ArmRecord, BlockRecord, Recording};

const BYTES: &str = "bytes.body";

/// Compares every other arm with the baseline: the bytes of its answers, and each status's share if there are several.
/// As with weights, these are families of their own, so that latencies are known no less well.
pub(crate) fn answers(measured: &Measured<'_>) -> Vec<Comparison> {
    let arms = measured.arms.len();
    let asked = measured.options.fail_on.iter().filter_map(Condition::status);
    let mut effects: Vec<Effect> = Metered::bytes(measured.recording, arms).effects();
    for range in statuses(measured.recording, arms, asked) {
        effects.extend(Metered::status(measured.recording, arms, range).effects());
    }
    judged(measured.arms, measured.elapsed, effects)
}

/// Statuses to compare: those seen, unless all answers had the same one, and those asked for.
fn statuses(recording: &Recording, arms: usize, asked: impl Iterator<Item = StatusRange>) -> Vec<StatusRange> {
    let seen: BTreeSet<u16> = (0..arms).flat_map(|arm| recording.statuses(arm)).map(|(status, _)| status).collect();
    let several = seen.len() > 1;
    let mut ranges: Vec<StatusRange> = seen.into_iter().filter(|_| several).map(StatusRange::One).collect();
    for range in asked {
        if !ranges.contains(&range) {
            ranges.push(range);
        }
    }
    ranges
}

/// A count per answer, by arm.
struct Metered {
    metric: String,
    kind: Metric,
    arms: Vec<Counts>,
}

impl Metered {
    fn bytes(recording: &Recording, arms: usize) -> Self {
        let of = |record: &ArmRecord| (record.answered, record.body_bytes);
        Self { metric: BYTES.to_owned(), kind: Metric::Bytes, arms: counts(recording, arms, of) }
    }

    /// Counts all answers, expected or not.
    fn status(recording: &Recording, arms: usize, range: StatusRange) -> Self {
        let of = |record: &ArmRecord| {
            let of_range = record.statuses.iter().filter(|(status, _)| range.holds(**status));
            (record.statuses.values().sum(), of_range.map(|(_, count)| count).sum())
        };
        let kind = if range.is_of_errors() { Metric::ErrorStatus } else { Metric::Status };
        Self { metric: format!("statuses.{range}"), kind, arms: counts(recording, arms, of) }
    }

    fn effects(&self) -> Vec<Effect> {
        let others = BASELINE_AGAIN + 1..self.arms.len();
        others.filter_map(|arm| Effect::of_counts(arm, &self.metric, self.kind, &self.arms)).collect()
    }
}

/// `of` returns the number of answers in an arm's phases of a block, and what was counted of them.
fn counts(recording: &Recording, arms: usize, of: impl Fn(&ArmRecord) -> (u64, u64)) -> Vec<Counts> {
    let of_arm = |arm: usize| {
        recording.counts(|block: &BlockRecord| {
            let record = &block.arms[arm];
            let (requests, count) = of(record);
            Phase { duration_ns: record.duration_ns, requests, count: count as f64 }
        })
    };
    (0..arms).map(of_arm).collect()
}

#[cfg(test)]
mod tests;
