//! [`compare`]: compares two runs, with the earlier ones of the same target.

use std::collections::BTreeSet;

use unladen_document::Document;

use crate::comparable::Comparable;
use crate::comparison::{Comparison, Past};
use crate::finding_changes::finding_changes;
use crate::history::History;
use crate::judge::Judge;
use crate::key::Key;
use crate::rows::rows;
use crate::run::Run;
use crate::side::Side;
use crate::speed::speed;
use crate::unjudged::Unjudged;
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
/// use unladen_document::Document;
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
    comparison.not_judged.extend(left_out.iter().filter(is_in_both).map(Unjudged::left_out));
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

#[cfg(test)]
mod tests;
