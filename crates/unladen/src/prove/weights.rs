//! [`weights`]: what each request carries in one arm and not in another, counter by counter.

use std::collections::BTreeMap;

use unladen_lockin::{
    Change as Judged, Contrast, Counts, FINE_ENOUGH, Family, Floor, Scale, adjust_comparisons, contrast_counts, judge,
};
use unladen_probe::{CounterId, GroupId, GroupKind, Instrument};
use unladen_report::{Change, Comparison, Metric, WeightMetric};

use crate::counters::kind_of;
use crate::prove::effect::{NEGLIGIBLE, span};
use crate::prove::measured::{BASELINE, BASELINE_AGAIN, Measured};

/// A floor of this share of what all groups carry hides nothing that a page would feel, whatever it is beside the
/// group's own weight.
const SMALL: f64 = 0.01;

/// One counter of one group in one arm, against the baseline.
struct Difference<'a> {
    arm: usize,
    key: (GroupId, CounterId),
    weight: &'a WeightMetric,
    baseline: f64,
    candidate: f64,
    /// None where the baseline's weight cannot be told from nothing.
    ratio: Option<Contrast>,
    difference: Contrast,
    /// The arm's own weight.
    absolute: Contrast,
    floor: Floor,
    /// Of the ratio, where there is one.
    ratio_floor: Option<f64>,
}

/// Every counter of every group in every arm but the baseline's.
pub(crate) fn weights(measured: &Measured<'_>) -> Vec<Comparison> {
    let Some(instrument) = measured.instrument else { return Vec::new() };
    let mut metrics: Vec<((GroupId, CounterId), WeightMetric)> = measured
        .recording
        .seen()
        .into_iter()
        .filter(|(group, _)| instrument.group(*group).kind != GroupKind::Own)
        .map(|key| (key, metric(instrument, key)))
        .collect();
    let place = |counter: CounterId| {
        instrument.counters().iter().position(|other| other.name == instrument.counter(counter).name)
    };
    metrics.sort_by(|(a, x), (b, y)| (&x.group, place(a.1)).cmp(&(&y.group, place(b.1))));
    let differences: Vec<Difference<'_>> =
        metrics.iter().flat_map(|(key, weight)| of_counter(measured, *key, weight)).collect();
    judged(measured, instrument, &differences)
}

fn metric(instrument: &Instrument, (group, counter): (GroupId, CounterId)) -> WeightMetric {
    let counter = instrument.counter(counter);
    WeightMetric {
        group: instrument.group(group).name.clone(),
        counter: counter.name,
        title: counter.title,
        unit: counter.unit.as_str(),
        kind: kind_of(counter.unit),
        approximate: counter.approximate,
    }
}

fn of_counter<'a>(measured: &Measured<'_>, key: (GroupId, CounterId), weight: &'a WeightMetric) -> Vec<Difference<'a>> {
    let recording = measured.recording;
    let arms: Vec<Counts> =
        (0..measured.arms.len()).map(|arm| recording.counts(|block| block.arms[arm].phase(key))).collect();
    let idle = recording.counts(|block| block.idle.phase(key));
    let baseline = Counts::pooled(&[&arms[BASELINE], &arms[BASELINE_AGAIN]]);
    let contrast = |terms: &[(f64, &Counts)], scale| contrast_counts(terms, Some(&idle), scale).ok();
    let same = [(1.0, &arms[BASELINE_AGAIN]), (-1.0, &arms[BASELINE])];
    let Some(of_same) = contrast(&same, Scale::Difference) else { return Vec::new() };
    let Some(of_baseline) = contrast(&[(1.0, &baseline)], Scale::Difference) else { return Vec::new() };
    let of_arm = |arm: usize| {
        let terms = [(1.0, &arms[arm]), (-1.0, &baseline)];
        let difference = contrast(&terms, Scale::Difference)?;
        let candidate = contrast(&[(1.0, &arms[arm])], Scale::Difference)?;
        // Of a heavy-tailed background the difference can be known where the ratio is not: then one of the two is said.
        let ratio = contrast(&terms, Scale::Ratio)
            .filter(|_| of_baseline.low > 0.0)
            .filter(|ratio| ratio.excludes_no_change() == difference.excludes_no_change());
        let ratio =
            contrast(&same, Scale::Ratio).zip(ratio).map(|(same, ratio)| (ratio, Floor::of(&same).for_effect(&ratio)));
        Some(Difference {
            arm,
            key,
            weight,
            baseline: of_baseline.value,
            candidate: candidate.value,
            absolute: candidate,
            ratio: ratio.map(|(ratio, _)| ratio),
            difference,
            floor: Floor::of(&of_same),
            ratio_floor: ratio.map(|(_, floor)| floor),
        })
    };
    (0..arms.len()).filter(|arm| *arm != BASELINE && *arm != BASELINE_AGAIN).filter_map(of_arm).collect()
}

/// Counters of one group in one arm are a family, whose headline is its CPU. Unlike in a weighing that is no gate: a
/// change may take off connections or writes, and no CPU that could be told.
fn judged(measured: &Measured<'_>, instrument: &Instrument, differences: &[Difference<'_>]) -> Vec<Comparison> {
    let cpu = instrument.counter_named("cpu");
    let mut families: BTreeMap<(usize, GroupId), Vec<usize>> = BTreeMap::new();
    for (index, difference) in differences.iter().enumerate() {
        let group = instrument.group(difference.key.0);
        if group.kind == GroupKind::Machine {
            // What the machine counts belongs to no group: each counter stands for itself.
            families.insert((measured.arms.len() + index, difference.key.0), vec![index]);
        } else {
            families.entry((difference.arm, difference.key.0)).or_default().push(index);
        }
    }
    for members in families.values_mut() {
        members.sort_by_key(|index| Some(differences[*index].key.1) != cpu);
    }
    let p = |index: &usize| differences[*index].difference.p_value;
    let p_values: Vec<Family> = families
        .values()
        .map(|members| Family { deciding: p(&members[0]), others: members[1..].iter().map(p).collect() })
        .collect();
    let mut adjusted = vec![1.0; differences.len()];
    for (members, family) in families.values().zip(adjust_comparisons(&p_values)) {
        for (index, p) in members.iter().zip(std::iter::once(family.deciding).chain(family.others)) {
            adjusted[*index] = p;
        }
    }
    let arm = |difference: &Difference<'_>| measured.arms[difference.arm].name.clone();
    let whole = Whole::of(instrument, differences);
    let compared = |(difference, p): (&Difference<'_>, f64)| difference.comparison(arm(difference), p, &whole);
    differences.iter().zip(adjusted).map(compared).collect()
}

/// What all groups together carry of each counter: a group that carries nothing has a floor all the same, and that is
/// fine as long as it is very little beside the whole.
struct Whole(BTreeMap<(usize, CounterId), f64>);

impl Whole {
    fn of(instrument: &Instrument, differences: &[Difference<'_>]) -> Self {
        let mut sums = BTreeMap::new();
        for difference in differences {
            let (group, counter) = difference.key;
            // What the machine counts is in its groups already, or in none.
            if instrument.group(group).kind != GroupKind::Machine {
                *sums.entry((difference.arm, counter)).or_insert(0.0) += difference.most();
            }
        }
        Self(sums)
    }

    /// What the floor of a difference is held against.
    fn beside(&self, difference: &Difference<'_>) -> f64 {
        let all = self.0.get(&(difference.arm, difference.key.1)).copied().unwrap_or(0.0);
        standard(difference.most(), all)
    }
}

/// That of which the floor may be a tenth: the group's own weight, or so much that it is a small share of the whole. A
/// tenth of the whole is the whole weight of many a group, and would hide that it vanishes.
fn standard(own: f64, all: f64) -> f64 {
    own.max(all * SMALL / FINE_ENOUGH)
}

// === impl Difference ===

impl Difference<'_> {
    /// The heavier of the two arms, as far as they carry anything.
    fn most(&self) -> f64 {
        self.baseline.max(self.candidate).max(0.0)
    }

    fn comparison(&self, arm: String, adjusted_p: f64, whole: &Whole) -> Comparison {
        let is_negligible = self.ratio.is_some_and(|ratio| ratio.change().abs() < NEGLIGIBLE);
        let judged = judge(&self.difference, &self.floor, adjusted_p, whole.beside(self));
        let verdict = verdict(judged, self.most(), self.difference.value, is_negligible);
        Comparison {
            arm,
            metric: format!("weight.{} {}", self.weight.counter, self.weight.group),
            kind: Metric::Weight,
            weight: Some(self.weight.clone()),
            baseline: self.baseline,
            candidate: self.candidate,
            absolute: Some(span(&self.absolute)),
            ratio: self.ratio.as_ref().map(span),
            difference: span(&self.difference),
            floor: self.ratio_floor.unwrap_or_else(|| self.floor.for_effect(&self.difference)),
            adjusted_p,
            verdict,
        }
    }
}

/// Of a weight that is `most` in the heavier of the two arms.
fn verdict(judged: Judged, most: f64, difference: f64, is_negligible: bool) -> Change {
    match judged {
        Judged::TooFewBlocks => Change::TooFewBlocks,
        Judged::NoMeasurableDifference => Change::Equal,
        _ if is_negligible => Change::Equal,
        // Less than nothing in both: a background that requests push aside, and nothing that they carry.
        _ if most <= 0.0 => Change::Equal,
        _ if difference < 0.0 => Change::Better,
        _ => Change::Worse,
    }
}

#[cfg(test)]
mod tests {
    use unladen_lockin::{Measure, Unit};

    use super::*;

    fn contrast(value: f64, half_width: f64) -> Contrast {
        let (low, high) = (value - half_width, value + half_width);
        let (unit, scale, measure) = (Unit::Block, Scale::Difference, Measure::Count);
        Contrast { value, low, high, p_value: 0.03, units: 20, unit, scale, measure, terms: 2.0 }
    }

    /// memcached's 30.1 ms of a page of 400 ms went to 0 ± 28, and that was called no measurable difference.
    #[test]
    fn a_weight_that_vanished_was_equal() {
        let judged = |change, floor, own, all| {
            judge(&contrast(change, 28.0), &Floor::of(&contrast(0.0, floor)), 0.06, standard(own, all))
        };
        assert_eq!(judged(-30.1, 31.0, 30.1, 400.0), Judged::TooFewBlocks);
        assert_eq!(judged(-30.1, 31.0, 310.0, 400.0), Judged::NoMeasurableDifference);
        // A group that carries nothing.
        assert_eq!(judged(1.0, 3.9, 1.0, 400.0), Judged::NoMeasurableDifference);
        assert_eq!(judged(1.0, 4.1, 1.0, 400.0), Judged::TooFewBlocks);
    }

    /// The machine's own daemon had less time for itself while requests ran: -13.5 µs a request went to -12.3 µs, and that
    /// was called heavier.
    #[test]
    fn a_background_that_requests_push_aside_is_neither_heavier_nor_lighter() {
        for (most, difference, expected) in [
            (0.0, 0.9, Change::Equal),
            (0.0, -0.9, Change::Equal),
            (0.5, 0.9, Change::Worse),
            (0.5, -0.9, Change::Better),
        ] {
            let judged = if difference > 0.0 { Judged::More } else { Judged::Less };
            assert_eq!(verdict(judged, most, difference, false), expected, "{most} {difference}");
        }
        assert_eq!(verdict(Judged::TooFewBlocks, 0.0, 0.9, false), Change::TooFewBlocks);
    }
}
