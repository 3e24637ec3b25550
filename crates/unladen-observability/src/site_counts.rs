//! The principal type is [`SiteCounts`]: what one thread counted of a site besides what it counts of every upstream.
//! Readers add the threads' counts up ([`SiteTotals`]).
//!
//! Nothing is locked for a request that is answered from memory. Reasons are words of the program's, but how many there
//! are is not for this file to know: there are rows for [`WHYS`] of them, and one more for each result.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use crate::{CacheResult, End, RequestAccount};

use super::histogram::{Counter, Histogram, HistogramTotals};
use super::misses::{Miss, Misses};

/// Rows, a power of two …
const ROWS: usize = 128;
/// … and pairs of a result and a reason that are told apart.
const WHYS: usize = ROWS - CacheResult::ALL.len();

/// What is said of reasons that have no row.
pub(super) const OTHER: &str = "other";

/// What one thread counted of a site.
#[derive(Debug, Default)]
pub(super) struct SiteCounts {
    rows: Rows,
    /// By who it was asked for, and what came of it: in the order of [`ASKED`] and [`BROUGHT`].
    asked: [[Histogram; BROUGHT.len()]; ASKED.len()],
    /// Bytes of bodies that the application sent.
    bytes: Counter,
    misses: Misses,
}

#[derive(Debug)]
struct Rows {
    rows: Box<[OnceLock<Row>]>,
    known: Counter,
}

#[derive(Debug)]
struct Row {
    result: CacheResult,
    why: &'static str,
    requests: Counter,
    bytes: Counter,
}

/// For whom an application was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskedFor {
    /// For the cache, and for whoever waits for the same.
    ForAll,
    /// For one client alone.
    ForOne,
}

/// What came of asking it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Brought {
    /// An answer.
    Whole,
    /// That what is stored is still good.
    NotModified,
    /// A status of 500 or more, or no whole answer.
    Failed,
}

/// In the order of [`SiteTotals::asked`].
pub(super) const ASKED: [AskedFor; 2] = [AskedFor::ForAll, AskedFor::ForOne];

/// In the order of each of them.
pub(super) const BROUGHT: [Brought; 3] = [Brought::Whole, Brought::NotModified, Brought::Failed];

/// What all threads counted of a site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteTotals {
    /// Requests by what the cache did, and why: in the order of [`CacheResult::ALL`], and by the reason's name.
    pub results: Vec<ResultTotals>,
    /// Requests that were sent to the application: from when it had the request to its answer's last byte.
    pub asked: [[HistogramTotals; 3]; 2],
    /// Bytes of bodies that the application sent.
    pub bytes: u64,
    /// What the application was asked for most, within the last minutes; the most first.
    pub misses: Vec<Miss>,
}

/// Requests with which the cache did the same, for the same reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultTotals {
    pub result: CacheResult,
    /// Why; empty: it is as it should be.
    pub why: &'static str,
    pub requests: u64,
    /// Bytes of bodies that clients got.
    pub bytes: u64,
}

impl SiteCounts {
    /// Counts a request that is over; on the thread that counts.
    pub(super) fn observe(&self, record: &RequestAccount<'_>, (result, why): (CacheResult, &'static str)) {
        // An answer of our own says itself why it is one.
        let why = match record.end {
            End::Local(reason) if why.is_empty() => reason.as_str(),
            _ => why,
        };
        if let Some(row) = self.rows.row(result, why) {
            row.requests.add(1);
            row.bytes.add(record.bytes_out);
        }
        if result == CacheResult::Pass {
            self.asked(record, AskedFor::ForOne);
        }
        if matches!(result, CacheResult::Miss | CacheResult::Pass | CacheResult::Revalidated) {
            self.misses.add(record, result, why);
        }
    }

    /// Counts what was asked of the application for several.
    pub(super) fn fetched(&self, record: &RequestAccount<'_>) {
        self.asked(record, AskedFor::ForAll);
    }

    fn asked(&self, record: &RequestAccount<'_>, asked: AskedFor) {
        // Another protocol's time says nothing of the application's.
        let (Some(connected), 1.., false) = (record.connected, record.attempts, record.end == End::Upgraded) else {
            return;
        };
        let brought = Brought::of(record);
        self.asked[asked as usize][brought as usize].record(record.total.saturating_sub(connected));
        self.bytes.add(record.bytes_out);
    }
}

// === impl Rows ===

impl Default for Rows {
    fn default() -> Self {
        Self { rows: (0..ROWS).map(|_| OnceLock::new()).collect(), known: Counter::default() }
    }
}

impl Rows {
    fn row(&self, result: CacheResult, why: &'static str) -> Option<&Row> {
        self.find(result, why, WHYS).or_else(|| self.find(result, OTHER, ROWS))
    }

    fn find(&self, result: CacheResult, why: &'static str, most: usize) -> Option<&Row> {
        let first = (result as usize * 16).wrapping_add(why.len());
        for i in 0..ROWS {
            let slot = self.rows.get((first + i) % ROWS)?;
            match slot.get() {
                Some(row) if row.result == result && is_same(row.why, why) => return Some(row),
                Some(_) => {}
                None if self.known.get() < most as u64 => {
                    self.known.add(1);
                    let row = Row { result, why, requests: Counter::default(), bytes: Counter::default() };
                    return Some(slot.get_or_init(|| row));
                }
                None => return None,
            }
        }
        None
    }
}

/// Mostly there is nothing to say: of two empty texts the C library's comparison took 80 ns (AVX-512 looks at where
/// they begin, which is nowhere).
fn is_same(one: &'static str, other: &'static str) -> bool {
    one.len() == other.len() && (one.is_empty() || one.as_ptr() == other.as_ptr() || one == other)
}

impl Brought {
    fn of(record: &RequestAccount<'_>) -> Self {
        match (record.end, record.status) {
            (End::Answered, 304) => Self::NotModified,
            (End::Answered, ..500) => Self::Whole,
            _ => Self::Failed,
        }
    }

    /// Its name in metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::NotModified => "not_modified",
            Self::Failed => "failed",
        }
    }
}

impl AskedFor {
    /// Its name in metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::ForAll => "fetch",
            Self::ForOne => "pass",
        }
    }
}

impl SiteTotals {
    /// Of all these threads'; none: it is no site.
    pub(super) fn of<'a>(counts: impl IntoIterator<Item = &'a SiteCounts> + Clone) -> Option<Self> {
        let mut totals = Self::without_misses(counts.clone())?;
        totals.misses = Miss::most(counts.into_iter().map(|counts| counts.misses.look()).collect());
        Some(totals)
    }

    /// The same, but for the misses, which are locked while they are copied.
    pub(super) fn without_misses<'a>(counts: impl IntoIterator<Item = &'a SiteCounts>) -> Option<Self> {
        let mut totals: Option<Self> = None;
        let mut results = BTreeMap::new();
        for counts in counts {
            let totals = totals.get_or_insert_default();
            for row in counts.rows.rows.iter().filter_map(OnceLock::get) {
                let ResultTotals { requests, bytes, .. } = results
                    .entry((row.result as usize, row.why))
                    .or_insert(ResultTotals { result: row.result, why: row.why, requests: 0, bytes: 0 });
                *requests += row.requests.get();
                *bytes += row.bytes.get();
            }
            for (sums, histograms) in totals.asked.iter_mut().zip(&counts.asked) {
                for (sum, histogram) in sums.iter_mut().zip(histograms) {
                    sum.add(&histogram.totals());
                }
            }
            totals.bytes += counts.bytes.get();
        }
        let mut totals = totals?;
        totals.results = results.into_values().collect();
        Some(totals)
    }

    /// Requests and bytes of bodies, of the results that are meant.
    pub fn sum(&self, is_meant: impl Fn(CacheResult) -> bool) -> (u64, u64) {
        let meant = self.results.iter().filter(|row| is_meant(row.result));
        meant.fold((0, 0), |(requests, bytes), row| (requests + row.requests, bytes + row.bytes))
    }

    /// An estimate of the application's time that the cache has saved: had each request been asked for that the cache
    /// had a part in (all but those passed on and those that the site answered itself), and had each taken as long as
    /// an answer that was fetched takes on average; less what the fetches took. It is time in which the application had
    /// a request, not its CPU time; and what is answered from memory may be cheaper or dearer than what is fetched.
    pub fn saved(&self) -> Duration {
        let [fetched, _] = &self.asked;
        let [whole, ..] = fetched;
        let (requests, _) = self.sum(|result| result.is_saved() || result == CacheResult::Miss);
        if whole.count() == 0 {
            return Duration::ZERO;
        }
        let each = whole.sum_ns as f64 / whole.count() as f64;
        let spent: f64 = fetched.iter().map(|histogram| histogram.sum_ns as f64).sum();
        // In seconds, within what a duration holds.
        Duration::try_from_secs_f64((each * requests as f64 - spent).max(0.0) / 1e9).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests;
