//! [`judge`]: which counters follow the requests, judged together.

use std::collections::{BTreeMap, BTreeSet};

use unladen_lockin::{Family, Weight, adjust_families, benjamini_hochberg};
use unladen_report::Warning;
use unladen_trace::Interval;

use crate::weigh::catalog::{KnownCounter, KnownGroup, SeriesKey, SourceId};
use crate::weigh::edge::SeriesKind;

/// Judges all counters of all groups of all URLs together; returns the number of families.
///
/// A group is looked into if its CPU follows: no counter grows without it. Groups on the request's path are judged
/// among themselves: other evidence shows that they take part, so they are no guesses among a machine's hundreds of
/// groups. The machine's counters are families of their own, and so are those of other machines; all hosts are judged
/// together, as each further host adds chances of error. An exporter's families are judged among themselves: thousands
/// of them would hide what the machines' own counters say. The client is known to follow and is no discovery.
pub(crate) fn judge(by_url: &mut [Vec<Row<'_>>]) -> usize {
    let mut families: BTreeMap<(usize, SourceId, Judged<'_>), Vec<&mut Row<'_>>> = BTreeMap::new();
    for (url, rows) in by_url.iter_mut().enumerate() {
        for row in rows.iter_mut().filter(|row| row.group.kind != SeriesKind::Own) {
            let family = match (row.family, row.group.kind) {
                (Some(family), _) => Judged::Family(family),
                (None, SeriesKind::Machine) => Judged::MachineCounter(&row.counter.name),
                (None, _) => Judged::Group(row.key.group().1),
            };
            families.entry((url, row.key.source, family)).or_default().push(row);
        }
    }
    for rows in families.values_mut() {
        // The deciding one first; in a group without CPU, its first counter is as good.
        rows.sort_by_key(|row| !row.is_deciding);
    }
    let count = families.len();
    let (on_path, others): (Vec<_>, Vec<_>) =
        families.into_values().partition(|rows| rows.iter().any(|row| row.on_path));
    let (of_exporters, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|rows| rows[0].family.is_some());
    let mut by_exporter: BTreeMap<SourceId, Vec<_>> = BTreeMap::new();
    for rows in of_exporters {
        by_exporter.entry(rows[0].key.source).or_default().push(rows);
    }
    by_exporter.into_values().chain([on_path, others]).for_each(adjust);
    count
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Judged<'a> {
    MachineCounter(&'a str),
    Group(u32),
    Family(&'a str),
}

/// Adjusts one lot by itself.
fn adjust(mut families: Vec<Vec<&mut Row<'_>>>) {
    let p_values: Vec<Family> = families
        .iter()
        .map(|rows| {
            let all: Vec<f64> = rows.iter().map(|row| row.weight.p_value).collect();
            match is_decided_together(rows) {
                true => Family { deciding: together(&all), others: all },
                false => Family { deciding: all[0], others: all[1..].to_vec() },
            }
        })
        .collect();
    for (rows, adjusted) in families.iter_mut().zip(adjust_families(&p_values)) {
        let deciding = (!is_decided_together(rows)).then_some(adjusted.deciding);
        let adjusted = deciding.into_iter().chain(adjusted.others);
        for (row, adjusted) in rows.iter_mut().zip(adjusted) {
            row.adjusted_p = adjusted;
        }
    }
}

/// Whether no series decides about its family: of an exporter's series none is known to move first.
fn is_decided_together(rows: &[&mut Row<'_>]) -> bool {
    rows[0].family.is_some() && !rows[0].is_deciding
}

/// The p-value that none of them follows (Simes 1986, *Biometrika* 73:751).
fn together(p_values: &[f64]) -> f64 {
    benjamini_hochberg(p_values).into_iter().fold(1.0, f64::min)
}

/// Series of exporters that are in no table only because the blocks are too few for so many of them.
pub(crate) fn untold_series(by_url: &[Vec<Row<'_>>]) -> Option<Warning> {
    /// The others are counted.
    const NAMED: usize = 3;

    let is_one = |row: &&Row<'_>| row.group.kind == SeriesKind::Series && row.is_untold();
    let names: BTreeSet<&str> = by_url.iter().flatten().filter(is_one).map(|row| row.group.name.as_str()).collect();
    let first = names.first()?;
    let host = first.split_once('/').map_or(*first, |(host, _)| host).to_owned();
    let named = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let blocks = by_url.iter().flatten().filter(is_one).map(|row| row.weight.per_request.blocks).min().unwrap_or(0);
    let note = format!(
        "{named}{more} grew in each of {blocks} blocks, but these are too few to be sure of so many series: they are \
         left out of the tables. Measure longer (--time)."
    );
    Some(Warning::OfHost { host, note })
}

/// One counter of one group for one URL, demodulated.
pub(crate) struct Row<'a> {
    pub(crate) group: &'a KnownGroup,
    pub(crate) counter: &'a KnownCounter,
    pub(crate) key: SeriesKey,
    /// The family that it is judged with, unless that is its group.
    pub(crate) family: Option<&'a str>,
    /// It decides about its family.
    pub(crate) is_deciding: bool,
    pub(crate) weight: Weight,
    pub(crate) on_path: bool,
    pub(crate) adjusted_p: f64,
}

impl Row<'_> {
    pub(crate) fn follows(&self) -> bool {
        self.group.kind != SeriesKind::Own && self.weight.follows(self.adjusted_p)
    }

    /// Whether it could not follow however clearly it grew: the blocks are too few for so many counters.
    pub(crate) fn is_untold(&self) -> bool {
        !self.follows() && self.weight.grows_in_every_block()
    }

    /// Whether it is the CPU of processes, which adds up.
    pub(crate) fn is_cpu(&self) -> bool {
        self.counter.name == "cpu" && matches!(self.group.kind, SeriesKind::Processes | SeriesKind::Own)
    }
}

/// What evidence has of a weight.
pub(crate) fn interval_of(row: &unladen_document::Weight) -> Interval {
    Interval { value: row.per_request, low: row.low, high: row.high }
}

#[cfg(test)]
mod tests;
