//! The principal type is [`Growth`]: what an exporter's counters have grown by, from one answer to the next.

use std::collections::HashMap;

use crate::counter::{Basis, cumulative};
use crate::exposition::{Exposition, Sample};
use crate::kind::Kind;
use crate::limits;
use crate::series::{Series, key, shorten};
use crate::unit::Unit;

/// All series of an exporter that only grow, and where they stand.
#[derive(Debug, Clone, Default)]
pub struct Growth {
    series: Vec<Series>,
    standings: Vec<Standing>,
    by_key: HashMap<String, usize>,
    resets: u64,
    has_begun: bool,
}

/// Where a series stood in the last answer that had it.
#[derive(Debug, Clone, Copy)]
struct Standing {
    value: f64,
    created: Option<f64>,
    timestamp_ms: Option<i64>,
}

// === impl Growth ===

impl Growth {
    /// Takes the next answer; returns what has grown since the one before, by the index in [`series`](Self::series).
    ///
    /// - A counter that went down has begun again, and has grown by its value, as in Prometheus' `increase`. So has one
    ///   whose date of creation (OpenMetrics) is another one.
    /// - A series that was not there before grows from its first value on, as nobody knows when it grew to that; unless
    ///   it tells that it was created after others of its exporter were read.
    /// - One that was away grows from where it was.
    pub fn advance(&mut self, exposition: &Exposition<'_>) -> Vec<(usize, f64)> {
        let created = created(exposition);
        let latest = self.standings.iter().filter_map(|standing| standing.created).fold(f64::NEG_INFINITY, f64::max);
        let mut grown = Vec::new();
        for sample in &exposition.samples {
            let family = &exposition.families[sample.family];
            let Some(basis) = cumulative(family.kind, family.name, sample) else { continue };
            let key = key(sample.name, &sample.labels);
            let began = created.get(&self::key(family.name, &labels_of_metric(family.kind, sample))).copied();
            let now = Standing { value: sample.value, created: began, timestamp_ms: sample.timestamp_ms };
            let Some(index) = self.by_key.get(&key).copied() else {
                // More are not looked at: an exporter that makes new series all the time would fill the memory.
                if self.series.len() < limits::KEPT {
                    let is_new = self.has_begun && latest.is_finite() && began.is_some_and(|began| began > latest);
                    if is_new && sample.value > 0.0 {
                        grown.push((self.series.len(), sample.value));
                    }
                    self.enter(key, sample, basis, now);
                }
                continue;
            };
            let before = std::mem::replace(&mut self.standings[index], now);
            if self.series[index].is_refuted {
                continue;
            }
            let has_begun_again = sample.value < before.value
                || matches!((began, before.created), (Some(now), Some(then)) if now != then);
            if has_begun_again && basis == Basis::Presumed {
                self.series[index].is_refuted = true;
                continue;
            }
            self.resets += u64::from(has_begun_again);
            let more = if has_begun_again { sample.value } else { sample.value - before.value };
            if more > 0.0 {
                grown.push((index, more));
            }
        }
        self.has_begun = true;
        grown
    }

    /// All series that were seen, in the order in which they came.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// When the series' value was so, by the exporter's last answer, if it said.
    pub fn timestamp_ms(&self, index: usize) -> Option<i64> {
        self.standings.get(index)?.timestamp_ms
    }

    /// How often a counter began again.
    pub fn resets(&self) -> u64 {
        self.resets
    }

    fn enter(&mut self, key: String, sample: &Sample<'_>, basis: Basis, standing: Standing) {
        self.series.push(Series {
            name: shorten(&key),
            family: sample.name.to_owned(),
            unit: Unit::of(sample.name),
            is_presumed: basis == Basis::Presumed,
            is_refuted: false,
        });
        self.by_key.insert(key, self.standings.len());
        self.standings.push(standing);
    }
}

/// The dates of creation (`_created`), by family and the metric's labels.
fn created(exposition: &Exposition<'_>) -> HashMap<String, f64> {
    let dates = exposition.samples.iter().filter(|sample| sample.name.ends_with("_created"));
    dates
        .filter_map(|sample| {
            let family = &exposition.families[sample.family];
            let has_dates = matches!(family.kind, Kind::Counter | Kind::Histogram | Kind::Summary);
            let is_date = has_dates && sample.name.strip_prefix(family.name) == Some("_created");
            (is_date && sample.value.is_finite()).then(|| (key(family.name, &sample.labels), sample.value))
        })
        .collect()
}

/// The labels of the metric that a sample is of: without the bound of a bucket.
fn labels_of_metric<'a>(kind: Kind, sample: &Sample<'a>) -> Vec<(&'a str, std::borrow::Cow<'a, str>)> {
    let is_bound = |label: &str| kind == Kind::Histogram && label == "le";
    sample.labels.iter().filter(|(label, _)| !is_bound(label)).cloned().collect()
}

#[cfg(test)]
mod tests;
