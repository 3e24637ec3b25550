//! [`weights`]: what each request carries in one arm and not in another, counter by counter.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use unladen_document::{Change, Comparison, Metric};
use unladen_lockin::{
    Change as Judged, Contrast, Counts, Family, Floor, MARGIN, MARGIN_OF_THE_WHOLE, Scale, adjust_comparisons,
    contrast_counts, judge,
};
use unladen_probe::{Counter, CounterId, GroupId, GroupKind, Instrument};

use crate::prove::effect::{NEGLIGIBLE, figures, settled_after, span};
use crate::prove::measured::{BASELINE, BASELINE_AGAIN, Measured};

/// One counter of one group in one arm, against the baseline.
struct Difference<'a> {
    arm: usize,
    key: (GroupId, CounterId),
    group: &'a str,
    counter: &'a Counter,
    baseline: f64,
    candidate: f64,
    /// Whether the counter follows the requests, in the baseline or in the arm.
    follows: bool,
    /// `None` if the baseline's weight may be zero.
    ratio: Option<Contrast>,
    difference: Contrast,
    /// The arm's own weight.
    absolute: Contrast,
    floor: Floor,
    /// `None` without a ratio.
    ratio_floor: Option<f64>,
}

pub(crate) fn weights(measured: &Measured<'_>) -> Vec<Comparison> {
    let Some(instrument) = measured.instrument else { return Vec::new() };
    let is_counted = |(group, _): &(GroupId, CounterId)| instrument.group(*group).kind != GroupKind::Own;
    let mut seen: Vec<(GroupId, CounterId)> = measured.recording.seen().into_iter().filter(is_counted).collect();
    let name = |key: &(GroupId, CounterId)| instrument.group(key.0).name.as_str();
    let place = |counter: CounterId| {
        instrument.counters().iter().position(|other| other.name == instrument.counter(counter).name)
    };
    seen.sort_by(|a, b| (name(a), place(a.1)).cmp(&(name(b), place(b.1))));
    let of_counter = |key| of_counter(measured, key, instrument);
    let differences: Vec<Difference<'_>> = seen.into_iter().flat_map(of_counter).collect();
    judged(measured, instrument, &differences)
}

fn of_counter<'a>(
    measured: &Measured<'_>,
    key: (GroupId, CounterId),
    instrument: &'a Instrument,
) -> Vec<Difference<'a>> {
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
        // With a heavy-tailed background the difference can be certain where the ratio is not: then only the difference
        // is shown.
        let ratio = contrast(&terms, Scale::Ratio)
            .filter(|_| of_baseline.low > 0.0)
            .filter(|ratio| ratio.excludes_no_change() == difference.excludes_no_change());
        let ratio =
            contrast(&same, Scale::Ratio).zip(ratio).map(|(same, ratio)| (ratio, Floor::of(&same).for_effect(&ratio)));
        Some(Difference {
            arm,
            key,
            group: &instrument.group(key.0).name,
            counter: instrument.counter(key.1),
            baseline: of_baseline.value,
            candidate: candidate.value,
            follows: of_baseline.low > 0.0 || candidate.low > 0.0,
            absolute: candidate,
            ratio: ratio.map(|(ratio, _)| ratio),
            difference,
            floor: Floor::of(&of_same),
            ratio_floor: ratio.map(|(_, floor)| floor),
        })
    };
    (BASELINE_AGAIN + 1..arms.len()).filter_map(of_arm).collect()
}

/// Judged together. A change is looked for on the requests' path: the hundreds of other groups of a machine would hide
/// it, as false discoveries are controlled over all that is judged together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lot {
    /// The requests go through the group; if that is unknown, its CPU follows them.
    Path,
    /// The machine's counters, which belong to no group.
    Machine,
    Beside,
}

/// Counters of one group in one arm are a family, whose headline is its CPU. Unlike in a weighing that is no gate: a
/// change may save connections or writes, but no measurable CPU.
fn judged(measured: &Measured<'_>, instrument: &Instrument, differences: &[Difference<'_>]) -> Vec<Comparison> {
    let cpu = instrument.counter_named("cpu");
    let follows = following(differences, cpu);
    let lot = |group: GroupId| match instrument.group(group).kind {
        GroupKind::Machine => Lot::Machine,
        _ if measured.path.holds(group).unwrap_or_else(|| follows.contains(&group)) => Lot::Path,
        _ => Lot::Beside,
    };
    let mut families: BTreeMap<(Lot, usize, GroupId), Vec<usize>> = BTreeMap::new();
    for (index, difference) in differences.iter().enumerate() {
        let (group, lot) = (difference.key.0, lot(difference.key.0));
        // The machine's counters belong to no group: each stands for itself.
        let arm = if lot == Lot::Machine { measured.arms.len() + index } else { difference.arm };
        families.entry((lot, arm, group)).or_default().push(index);
    }
    for members in families.values_mut() {
        members.sort_by_key(|index| Some(differences[*index].key.1) != cpu);
    }
    let families: Vec<(Lot, Vec<usize>)> = families.into_iter().map(|((lot, ..), members)| (lot, members)).collect();
    let p_values: Vec<f64> = differences.iter().map(|difference| difference.difference.p_value).collect();
    let arm = |difference: &Difference<'_>| measured.arms[difference.arm].name.clone();
    let whole = Whole::of(instrument, differences);
    let compared = |(difference, p): (&Difference<'_>, f64)| {
        let on_path = match lot(difference.key.0) {
            Lot::Path => measured.path.holds(difference.key.0),
            Lot::Machine => None,
            Lot::Beside => Some(false),
        };
        Comparison { on_path, ..difference.comparison(arm(difference), p, measured.elapsed, &whole) }
    };
    differences.iter().zip(adjusted(&families, &p_values)).map(compared).collect()
}

/// Groups whose CPU follows the requests, in any arm; for groups without CPU, any counter.
fn following(differences: &[Difference<'_>], cpu: Option<CounterId>) -> BTreeSet<GroupId> {
    let of_cpu = |difference: &&Difference<'_>| Some(difference.key.1) == cpu;
    let have_cpu: BTreeSet<GroupId> = differences.iter().filter(of_cpu).map(|difference| difference.key.0).collect();
    let tells = |difference: &&Difference<'_>| of_cpu(difference) || !have_cpu.contains(&difference.key.0);
    differences
        .iter()
        .filter(tells)
        .filter(|difference| difference.follows)
        .map(|difference| difference.key.0)
        .collect()
}

/// The p-values after control of false discoveries within each lot. The first of a family is its headline.
fn adjusted(families: &[(Lot, Vec<usize>)], p_values: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![1.0; p_values.len()];
    for lot in families.chunk_by(|(one, _), (other, _)| one == other) {
        let of_family = |(_, members): &(Lot, Vec<usize>)| Family {
            deciding: p_values[members[0]],
            others: members[1..].iter().map(|index| p_values[*index]).collect(),
        };
        let judged = adjust_comparisons(&lot.iter().map(of_family).collect::<Vec<_>>());
        for ((_, members), family) in lot.iter().zip(judged) {
            for (index, p) in members.iter().zip(std::iter::once(family.deciding).chain(family.others)) {
                adjusted[*index] = p;
            }
        }
    }
    adjusted
}

/// Total of each counter over all groups.
struct Whole(BTreeMap<(usize, CounterId), f64>);

impl Whole {
    fn of(instrument: &Instrument, differences: &[Difference<'_>]) -> Self {
        let mut sums = BTreeMap::new();
        for difference in differences {
            let (group, counter) = difference.key;
            // The machine's counts are in its groups already, or in none.
            if instrument.group(group).kind != GroupKind::Machine {
                *sums.entry((difference.arm, counter)).or_insert(0.0) += difference.most();
            }
        }
        Self(sums)
    }

    /// A smaller difference counts as none.
    fn margin(&self, difference: &Difference<'_>) -> f64 {
        let all = self.0.get(&(difference.arm, difference.key.1)).copied().unwrap_or(0.0);
        margin(difference.most(), all)
    }
}

/// A share of the group's own weight, or a small share of what all groups carry, as a group that carries nothing has an
/// interval too. The latter share is smaller, as it could be all of a group's weight, and hide that it vanishes.
fn margin(own: f64, all: f64) -> f64 {
    (own * MARGIN).max(all * MARGIN_OF_THE_WHOLE)
}

impl Difference<'_> {
    /// The heavier arm's weight, at least 0.
    fn most(&self) -> f64 {
        self.baseline.max(self.candidate).max(0.0)
    }

    fn comparison(&self, arm: String, adjusted_p: f64, elapsed: Duration, whole: &Whole) -> Comparison {
        let is_negligible = self.ratio.is_some_and(|ratio| ratio.change().abs() < NEGLIGIBLE);
        let margin = whole.margin(self);
        // The ratio is shown, if there is one.
        let shown = self.ratio.filter(|_| self.baseline > 0.0).map(|ratio| (ratio, margin / self.baseline));
        let is_within = shown.map_or(self.difference.is_within(margin), |(ratio, margin)| ratio.is_within(margin));
        let judged = judge(&self.difference, &self.floor, adjusted_p, margin);
        let verdict = verdict(judged, self.most(), self.difference.value, is_negligible, is_within);
        Comparison {
            arm,
            metric: format!("weight.{} {}", self.counter.name, self.group),
            group: Some(self.group.to_owned()),
            counter: Some(self.counter.name.to_owned()),
            title: self.counter.title.to_owned(),
            unit: self.counter.unit.into_str().to_owned(),
            approximate: Some(self.counter.approximate),
            floor: Some(self.ratio_floor.unwrap_or_else(|| self.floor.for_effect(&self.difference))),
            margin: Some(shown.map_or(margin, |(_, margin)| margin)),
            time_to_settle_ns: settled_after(verdict, &self.difference, elapsed, margin),
            adjusted_p,
            verdict: verdict.as_str(Metric::Weight).to_owned(),
            ..figures(
                Metric::Weight,
                [self.baseline, self.candidate],
                Some(span(&self.absolute)),
                self.ratio.as_ref().map(span),
                span(&self.difference),
            )
        }
    }
}

/// `most` is the weight in the heavier of the two arms.
fn verdict(judged: Judged, most: f64, difference: f64, is_negligible: bool, is_within: bool) -> Change {
    match judged {
        Judged::Unclear => Change::Unclear,
        Judged::NoMeasurableDifference if is_within => Change::Equal,
        Judged::NoMeasurableDifference => Change::Unclear,
        _ if is_negligible && is_within => Change::Equal,
        // Negative in both: a background that requests push aside, and nothing that they carry.
        _ if most <= 0.0 => {
            if is_within {
                Change::Equal
            } else {
                Change::Unclear
            }
        }
        _ if difference < 0.0 => Change::Better,
        _ => Change::Worse,
    }
}

#[cfg(test)]
mod tests;
