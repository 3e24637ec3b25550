//! [`compare`]: compares two runs, with the earlier ones of the same target.

use std::collections::BTreeSet;

use unladen_document::{Document, Span};
use unladen_lockin::{FALSE_DISCOVERY_RATE, Family, MARGIN, MARGIN_OF_SHARES, MARGIN_OF_THE_WHOLE, adjust_comparisons};

use crate::between::{Between, Prior, documented};
use crate::comparison::{Comparable, Comparison, Past, Side};
use crate::draft::{Draft, Judge, NotJudged};
use crate::effect::Effect;
use crate::finding_changes::finding_changes;
use crate::key::{Clock, Key};
use crate::row::{Kind, Row, Unjudged, Verdict, WhyUnjudged};
use crate::run::{FEW_RUNS, History, Run};
use crate::speed::speed;
use crate::warnings::warnings;

/// Document version. It changes if a field is removed or changes its meaning, not if one is added.
const SCHEMA: &str = "unladen.compare/1";

/// Maximum rows of one comparison: each is compared with those of its kind.
const MOST_ROWS: usize = 2000;

/// Compares two runs. The variation between runs is estimated from those of `history` that measured the same target the
/// same way, without `before` and `after` if it has them. Without any, a documented prior is used.
///
/// ```
/// use unladen_compare::{History, Verdict, compare};
/// use unladen_document::{Document, Span};
///
/// let run = |median: u64| {
///     Document::read(format!(r#"{{"schema": "unladen.load/1", "target": "http://localhost/", "latency_ns": {{"p50": {median}}},
///         "latency_intervals_ns": {{"p50": {{"low": {}, "high": {}}}}}}}"#, median - 50_000, median + 50_000).as_bytes())
/// };
/// let history: History = [20_000_000, 20_100_000, 19_900_000, 20_050_000, 19_950_000, 20_000_000]
///     .map(run).iter().flatten().collect();
/// let comparison = compare(&run(20_000_000)?, &run(23_000_000)?, &history);
/// assert_eq!(comparison.rows[0].verdict, Verdict::Slower);
/// # Ok::<(), unladen_document::DocumentError>(())
/// ```
pub fn compare(before: &Document, after: &Document, history: &History) -> Comparison {
    let (runs, documents) = ([Run::of(before), Run::of(after)], [before, after]);
    let [first, second] = &runs;
    let past: Vec<&Run> = history
        .in_order()
        .into_iter()
        .filter(|run| !run.is(first) && !run.is(second))
        .filter(|run| second.setting.differences(&run.setting).is_empty())
        .collect();
    let of_this_machine = past.iter().filter(|run| run.machine.is_same(&second.machine)).count();
    let mut comparison = Comparison {
        schema: SCHEMA,
        before: Side::of(before),
        after: Side::of(after),
        comparable: comparable(first, second),
        speed: None,
        history: Past { runs: past.len(), of_this_machine },
        rows: Vec::new(),
        judged: 0,
        not_judged: Vec::new(),
        findings: Vec::new(),
        warnings: Vec::new(),
    };
    if !comparison.comparable.is_comparable() {
        return comparison;
    }
    let (speed, clocks) = speed(&first.references, &second.references).unzip();
    comparison.speed = speed;
    let judge = Judge {
        before: first,
        after: second,
        past: &past,
        is_same_machine: matches!(comparison.comparable, Comparable::Yes),
        disagrees: comparison.speed.as_ref().is_some_and(|speed| speed.disagreement.is_some()),
        clocks: clocks.flatten(),
    };
    let mut keys = shown(first, second);
    let left_out = keys.split_off(keys.len().min(MOST_ROWS));
    comparison.rows = rows(&judge, &keys);
    comparison.not_judged = comparison.rows.iter().filter_map(Unjudged::of).collect();
    comparison.judged = comparison.rows.len() - comparison.not_judged.len();
    let is_in_both = |key: &&Key| first.figure(key, None).is_some() && second.figure(key, None).is_some();
    let without_row = |key: &Key| {
        let Key { url, metric, arm, .. } = key.clone();
        Unjudged { url, metric, arm, why: WhyUnjudged::LeftOut }
    };
    comparison.not_judged.extend(left_out.iter().filter(is_in_both).map(without_row));
    comparison.findings = finding_changes(&judge, documents);
    comparison.warnings = warnings(&judge, &comparison, documents);
    if !left_out.is_empty() {
        let (left_out, all) = (left_out.len(), MOST_ROWS + left_out.len());
        comparison.warnings.push(format!("{left_out} of {all} metrics are left out"));
    }
    comparison
}

/// Whether both answer the same question, and on the same machine.
fn comparable(before: &Run, after: &Run) -> Comparable {
    let differences = before.setting.differences(&after.setting);
    if !differences.is_empty() {
        return Comparable::No(differences);
    }
    let differences = before.machine.differences(&after.machine);
    if differences.is_empty() { Comparable::Yes } else { Comparable::AcrossMachines(differences) }
}

/// Metrics shown in either run, by page, in the later run's order.
fn shown(before: &Run, after: &Run) -> Vec<Key> {
    let is_shown = |run: &Run, key: &Key| run.figures.get(key).is_some_and(|measured| measured.shown);
    let mut seen = BTreeSet::new();
    let mut keys: Vec<&Key> = Vec::new();
    for key in after.order.iter().chain(&before.order) {
        if (is_shown(after, key) || is_shown(before, key)) && seen.insert(key) {
            keys.push(key);
        }
    }
    let mut pages: Vec<&str> = Vec::new();
    for key in &keys {
        if !pages.contains(&key.url.as_str()) {
            pages.push(&key.url);
        }
    }
    let page = |key: &&Key| pages.iter().position(|page| *page == key.url);
    keys.sort_by_key(page);
    keys.into_iter().cloned().collect()
}

/// The margin of equality between runs, as a multiple of that within an experiment: each run has its own layout of
/// memory, order of compilation and neighbours, and with an experiment's margin most pairs of equal runs would stay
/// unclear, however long they are.
const BETWEEN_RUNS: f64 = 2.0;

/// If the speeds of two machines differ by more, unclear times are not comparable.
const MOST_SPEED: f64 = 0.1;

/// A URL, and an arm if there are several.
type Page<'a> = (&'a str, Option<&'a str>);

/// Judges metrics of two runs together.
fn rows(judge: &Judge<'_>, keys: &[Key]) -> Vec<Row> {
    let drafts: Vec<Draft<'_>> = keys.iter().filter_map(|key| Draft::of(judge, key)).collect();
    let effects: Vec<Result<(Effect, Between), NotJudged>> = drafts
        .iter()
        .map(|draft| {
            let prior = prior(draft, &drafts);
            draft.effect(judge, prior)
        })
        .collect();
    let adjusted = adjust(&drafts, &effects);
    drafts
        .iter()
        .zip(effects)
        .zip(adjusted)
        .map(|((draft, effect), adjusted_p)| row(judge, draft, effect, adjusted_p, &drafts))
        .collect()
}

/// What the variation of a metric is drawn towards: that of similar metrics.
fn prior(draft: &Draft<'_>, all: &[Draft<'_>]) -> Prior {
    let class = |draft: &Draft<'_>| (draft.key.kind, draft.key.clock() as u8, draft.key.is_tail(), draft.is_ratio);
    let alike: Vec<Between> = all
        .iter()
        .filter(|other| (other.is_ratio || other.key.is_share()) && class(other) == class(draft))
        .filter_map(|other| other.own)
        .collect();
    let prior = if alike.is_empty() {
        Prior::documented(documented(draft.key))
    } else {
        Prior::pooled(documented(draft.key), &alike)
    };
    // Converts a share into the unit.
    if draft.is_ratio || draft.key.is_share() { prior } else { prior.scaled(draft.size()) }
}

/// Adjusts the p-values by page and by arm.
fn adjust(drafts: &[Draft<'_>], effects: &[Result<(Effect, Between), NotJudged>]) -> Vec<f64> {
    let mut pages: Vec<(Page<'_>, Vec<usize>)> = Vec::new();
    for (index, draft) in drafts.iter().enumerate().filter(|(index, _)| effects[*index].is_ok()) {
        let page = (draft.key.url.as_str(), draft.key.arm.as_deref());
        match pages.iter_mut().find(|(of, _)| *of == page) {
            Some((_, members)) => members.push(index),
            None => pages.push((page, vec![index])),
        }
    }
    // The headline first; without one, the first metric.
    for (_, members) in &mut pages {
        if let Some(headline) = members.iter().position(|&index| drafts[index].is_headline) {
            members.swap(0, headline);
        }
    }
    let p = |index: usize| effects[index].as_ref().map_or(1.0, |(effect, _)| effect.p);
    let families: Vec<Family> = pages
        .iter()
        .map(|(_, members)| Family {
            deciding: members.first().map_or(1.0, |&index| p(index)),
            others: members.iter().skip(1).map(|&index| p(index)).collect(),
        })
        .collect();
    let mut adjusted = vec![1.0; drafts.len()];
    for ((_, members), family) in pages.iter().zip(adjust_comparisons(&families)) {
        for (&index, p) in members.iter().zip([family.deciding].into_iter().chain(family.others)) {
            adjusted[index] = p;
        }
    }
    adjusted
}

fn row(
    judge: &Judge<'_>,
    draft: &Draft<'_>,
    effect: Result<(Effect, Between), NotJudged>,
    adjusted_p: f64,
    all: &[Draft<'_>],
) -> Row {
    let key = draft.key;
    let (before, after) = (draft.before.map(|of| of.figure), draft.after.map(|of| of.figure));
    let mut row = Row {
        url: key.url.clone(),
        metric: key.metric.clone(),
        kind: key.kind,
        group: key.group.clone(),
        counter: key.counter.clone(),
        state: key.state.clone(),
        arm: key.arm.clone(),
        unit: key.unit.clone(),
        approximate: draft.before.into_iter().chain(draft.after).any(|of| of.approximate),
        headline: draft.is_headline,
        // Figures that were not counted are not in the document.
        before: before.filter(|_| judge.before.figures.contains_key(key)),
        after: after.filter(|_| judge.after.figures.contains_key(key)),
        ratio: None,
        difference: None,
        floor: None,
        margin: None,
        between_runs: None,
        runs: 0,
        in_reference_units: draft.reference.is_some(),
        adjusted_p,
        verdict: Verdict::NotComparable,
        unjudged: None,
    };
    let (effect, between) = match effect {
        Ok(known) => known,
        Err(NotJudged(why)) => {
            row.unjudged = Some(why);
            return row;
        }
    };
    let deviation = between.variance.sqrt();
    row.runs = between.runs;
    row.between_runs = Some(deviation);
    let margin = margin(draft, all);
    row.margin = Some(margin);
    let size = before.map_or(0.0, |figure| figure.value);
    if draft.is_ratio {
        let ratio = Span { value: effect.value.exp(), low: effect.low.exp(), high: effect.high.exp() };
        let share = |end: f64| size * (end - 1.0);
        row.difference = ratio.mapped(share).finite();
        row.ratio = ratio.finite();
        row.floor = Some(effect.floor.exp_m1());
    } else {
        row.difference = Some(Span { value: effect.value, low: effect.low, high: effect.high });
        row.floor = Some(effect.floor);
    }
    // The slowest requests were held up by something else: no general figure shows how often that happens here.
    let is_tail = key.kind == Kind::Latency && key.is_tail() && between.runs == 0;
    // Nor how often things occur that are not part of each request, such as a library that asks the system for memory
    // once in a while.
    let is_rare = key.kind == Kind::Count && draft.size() < 1.0 && between.runs < FEW_RUNS;
    // Nor how busy the machine is besides: one of two runs of one page had 59 % more forced switches, and failed a
    // gate.
    let is_of_neighbours = key.is_of_neighbours() && between.runs < FEW_RUNS;
    let is_unknown = is_tail || is_rare || is_of_neighbours;
    row.verdict = if is_unknown { Verdict::Unclear } else { verdict(judge, draft, &effect, adjusted_p, margin) };
    row.unjudged = match row.verdict {
        Verdict::Unclear if row.runs < FEW_RUNS => Some(WhyUnjudged::NoHistory),
        Verdict::Unclear if effect.is_imprecise => Some(WhyUnjudged::Imprecise),
        Verdict::Unclear => Some(WhyUnjudged::Varies),
        Verdict::NotComparable => Some(WhyUnjudged::NotComparable),
        _ => None,
    };
    row
}

/// Limit for the whole interval of equality: a share of a ratio, or points of a share of requests; otherwise a share of
/// the figure itself, or of all groups' count of it.
fn margin(draft: &Draft<'_>, all: &[Draft<'_>]) -> f64 {
    if draft.key.is_share() {
        return BETWEEN_RUNS * MARGIN_OF_SHARES;
    }
    if draft.is_ratio {
        return BETWEEN_RUNS * MARGIN;
    }
    let is_alike = |other: &&Draft<'_>| {
        let (key, of) = (draft.key, other.key);
        key.kind == Kind::Weight
            && (&of.url, &of.arm, &of.counter) == (&key.url, &key.arm, &key.counter)
            && of.group.is_some()
    };
    let sum: f64 = all.iter().filter(is_alike).map(Draft::size).sum();
    (draft.size() * BETWEEN_RUNS * MARGIN).max(sum * MARGIN_OF_THE_WHOLE)
}

fn verdict(judge: &Judge<'_>, draft: &Draft<'_>, effect: &Effect, adjusted_p: f64, margin: f64) -> Verdict {
    let key = draft.key;
    if effect.excludes_none() && effect.value.abs() > effect.floor && adjusted_p <= FALSE_DISCOVERY_RATE {
        let (more, less) = key.words();
        let is_missing = |run: &Run| !run.figures.contains_key(key);
        return match effect.value > 0.0 {
            true if is_missing(judge.before) => Verdict::New,
            false if is_missing(judge.after) => Verdict::Gone,
            true => more,
            false => less,
        };
    }
    let shown = |end: f64| if draft.is_ratio { end.exp_m1() } else { end };
    if shown(effect.low) >= -margin && shown(effect.high) <= margin {
        return Verdict::NoMeasurableDifference;
    }
    // More runs would not help: the two machines differ by more than that.
    let is_of_the_machine = key.clock() == Clock::Elapsed && draft.speed(judge).abs() > MOST_SPEED;
    if is_of_the_machine { Verdict::NotComparable } else { Verdict::Unclear }
}

#[cfg(test)]
mod tests;
