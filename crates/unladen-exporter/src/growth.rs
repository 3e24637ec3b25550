//! The principal type is [`Growth`]: the growth of an exporter's counters, from one answer to the next.

use std::collections::HashMap;

use crate::exposition::{Exposition, Kind, Sample};
use crate::limits;
use crate::series::{Series, Unit, key, shorten};

/// All growing series of an exporter, with their last values.
#[derive(Debug, Clone, Default)]
pub struct Growth {
    series: Vec<Series>,
    standings: Vec<Standing>,
    by_key: HashMap<String, usize>,
    key_bytes: usize,
    is_full: bool,
    resets: u64,
    has_begun: bool,
    /// When the previous answer was made, in seconds since 1970 by the exporter's clock.
    read_at: Option<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Standing {
    value: f64,
    created: Option<f64>,
    timestamp_ms: Option<i64>,
}

impl Growth {
    /// [`advance_at`](Self::advance_at) for an answer of unknown time.
    pub fn advance(&mut self, exposition: &Exposition<'_>) -> Vec<(usize, f64)> {
        self.advance_at(exposition, None)
    }

    /// Takes the next answer, made at `at` (seconds since 1970 by the exporter's clock, if known); returns the growth
    /// since the previous one, by the index in [`series`](Self::series).
    ///
    /// - A counter that went down was reset, and has grown by its value, as in Prometheus' `increase`. So has one whose
    ///   date of creation (OpenMetrics) is later than the previous answer. Other new dates are ignored: some exporters
    ///   compute them each time, from how long they have run, with fluctuations.
    /// - A new series grows from its first value on, as nobody knows when it grew to that; unless it says that it was
    ///   created after others of its exporter were read.
    /// - One that was missing grows from its last value.
    /// - One that grows by more than anything can ([`limits::GROWTH`]) is no counter, and counts no more.
    pub fn advance_at(&mut self, exposition: &Exposition<'_>, at: Option<f64>) -> Vec<(usize, f64)> {
        let read_before = std::mem::replace(&mut self.read_at, at);
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
                // Further ones are ignored: an exporter that keeps making new series would fill the memory.
                if self.series.len() == limits::KEPT || self.key_bytes + key.len() > limits::KEPT_BYTES {
                    self.is_full = true;
                } else {
                    let is_new = self.has_begun && latest.is_finite() && began.is_some_and(|began| began > latest);
                    if is_new && sample.value > 0.0 && sample.value <= limits::GROWTH {
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
                || matches!((began, before.created, read_before), (Some(now), Some(then), Some(read)) if now > then && now > read);
            if has_begun_again && basis == Basis::Presumed {
                self.series[index].is_refuted = true;
                continue;
            }
            self.resets += u64::from(has_begun_again);
            let more = if has_begun_again { sample.value } else { sample.value - before.value };
            if more > limits::GROWTH {
                self.series[index].is_refuted = true;
                continue;
            }
            if more > 0.0 {
                grown.push((index, more));
            }
        }
        self.has_begun = true;
        grown
    }

    /// All series seen, in order of appearance.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// The time of the series' value in the last answer, if given.
    pub fn timestamp_ms(&self, index: usize) -> Option<i64> {
        self.standings.get(index)?.timestamp_ms
    }

    /// Whether series were not kept: see [`limits::KEPT`] and [`limits::KEPT_BYTES`].
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Number of counter resets.
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
        self.key_bytes += key.len();
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

/// The labels of a sample's metric: without the bound of a bucket.
fn labels_of_metric<'a>(kind: Kind, sample: &Sample<'a>) -> Vec<(&'a str, std::borrow::Cow<'a, str>)> {
    let is_bound = |label: &str| kind == Kind::Histogram && label == "le";
    sample.labels.iter().filter(|(label, _)| !is_bound(label)).cloned().collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basis {
    /// By its type.
    Told,
    /// Its type is unknown: it counts until it goes down. mysqld_exporter exports most of the server's status so.
    Presumed,
}

/// Whether a sample only grows: counters, and a histogram's or summary's count, sum and buckets, not quantiles.
fn cumulative(kind: Kind, family: &str, sample: &Sample<'_>) -> Option<Basis> {
    // A summary's sum is NaN before its first observation.
    if !sample.value.is_finite() || sample.value < 0.0 {
        return None;
    }
    let suffix = sample.name.strip_prefix(family)?;
    let is_told = match kind {
        Kind::Counter => matches!(suffix, "" | "_total"),
        Kind::Histogram => matches!(suffix, "_bucket" | "_count" | "_sum"),
        Kind::Summary => matches!(suffix, "_count" | "_sum"),
        Kind::Unknown => return Some(Basis::Presumed),
        Kind::Gauge | Kind::Info | Kind::StateSet | Kind::GaugeHistogram => false,
    };
    is_told.then_some(Basis::Told)
}

#[cfg(test)]
mod tests;
