//! The principal type is [`Proof`]: what an experiment says of its change, in a few words.

use unladen_document::{Arm, Change, Comparison, CountedChange, Metric, ProveDocument, Span};
use unladen_lockin::MARGIN;
use unladen_quantity::{Kind, plain};
use unladen_trace::Total;

/// What is certainly less with the change, and what is certainly more: CPU first, then latency.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof {
    /// Counts that went down.
    pub fewer: Vec<Changed>,
    pub less: Vec<Changed>,
    pub more: Vec<Changed>,
    /// Neither can be ruled out for some of it.
    pub is_unclear: bool,
    /// Nothing was compared that says whether the change is good.
    pub is_nothing: bool,
    /// The answer is at most half as large, and nothing but CPU is more: what compression costs.
    pub is_compressed: bool,
}

const HALF: f64 = 0.5;

/// One figure that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// `CPU of php-fpm8.2`
    pub name: String,
    /// `30.2 ms → 27.7 ms`
    values: String,
    /// `−8.2 % (−10.1 to −7.0)`
    pub change: String,
}

impl std::fmt::Display for Changed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.values)?;
        if self.change.is_empty() { Ok(()) } else { write!(f, ", {}", self.change) }
    }
}

impl Proof {
    /// Of one arm against the baseline.
    pub fn of(document: &ProveDocument, arm: &Arm) -> Self {
        let mut deciding: Vec<&Comparison> = document.of_arm(&arm.name).filter(|one| is_deciding(one)).collect();
        deciding.sort_by_key(|one| one.kind() != Metric::Weight);
        let with = |change: Change| deciding.iter().filter(move |one| one.change() == change).map(|one| line(one));
        // What a count grows by, such as the map that is read in place of a search, is in the CPU.
        let fewer = changed_counts(document, &arm.name).into_iter().filter(|count| less(count));
        let is_kind =
            |kind: Metric, change: Change| move |one: &&&Comparison| one.kind() == kind && one.change() == change;
        let smaller = deciding.iter().find(is_kind(Metric::Bytes, Change::Better));
        let slower = deciding.iter().find(is_kind(Metric::Latency, Change::Worse));
        Self {
            is_compressed: slower.is_none() && smaller.and_then(|one| one.high).is_some_and(|ratio| ratio <= HALF),
            fewer: fewer.map(count_line).collect(),
            less: with(Change::Better).collect(),
            more: with(Change::Worse).collect(),
            is_unclear: deciding.iter().any(|one| one.change() == Change::Unclear),
            is_nothing: deciding.is_empty(),
        }
    }
}

fn less(count: &CountedChange) -> bool {
    count.candidate.value < count.baseline.value
}

/// Counts that certainly changed in an arm, in the order of tables.
pub(crate) fn changed_counts<'a>(document: &'a ProveDocument, arm: &str) -> Vec<&'a CountedChange> {
    let mut counts: Vec<_> = document.counted.iter().filter(|count| count.arm == arm && count.is_changed).collect();
    counts.sort_by_key(|count| Total::place(&count.title));
    counts
}

/// Whether a count may have changed by more than the margin, but not certainly.
pub(crate) fn is_unclear(count: &CountedChange) -> bool {
    let is_within = |ratio: Span| ratio.low >= 1.0 - MARGIN && ratio.high <= 1.0 + MARGIN;
    !count.is_changed && !count.ratio.is_some_and(is_within)
}

fn count_line(count: &CountedChange) -> Changed {
    let [before, after] = count.values();
    Changed { name: count.title.clone(), values: format!("{before} → {after}"), change: count.change_text() }
}

/// Latency, and the CPU of the groups that answer: other counters follow from these, and some rise in exchange.
fn is_deciding(comparison: &Comparison) -> bool {
    match comparison.kind() {
        Metric::Latency => ["latency.p50", "latency.mean", "cold.latency.p50"].contains(&comparison.metric.as_str()),
        Metric::Weight => comparison.counter.as_deref() == Some("cpu") && !comparison.is_beside(),
        Metric::Bytes => true,
        Metric::Within | Metric::Throughput | Metric::Status | Metric::ErrorStatus => false,
    }
}

fn line(comparison: &Comparison) -> Changed {
    let name = match &comparison.group {
        Some(group) => format!("CPU of {group}"),
        None => comparison.metric.replace("latency.p50", "median latency").replace("latency.mean", "mean latency"),
    };
    let value = |value: Option<f64>| {
        value.map_or_else(|| "?".to_owned(), |value| plain(Kind::of_unit(&comparison.unit), value))
    };
    Changed {
        name,
        values: format!("{} → {}", value(comparison.baseline), value(comparison.candidate)),
        change: comparison.change_text(),
    }
}

#[cfg(test)]
mod tests;
