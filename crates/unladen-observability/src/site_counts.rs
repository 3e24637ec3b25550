//! The principal type is [`SiteCounts`]: one thread's further counts of a site. Readers add up the threads' counts
//! ([`SiteTotals`]).
//!
//! A request answered from memory takes no lock. Reasons are the program's own words, but their number is not known
//! here: there are rows for [`WHYS`] of them, and one more for each result.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use crate::{CacheResult, End, RequestAccount};

use super::histogram::{Counter, Histogram, HistogramTotals};
use super::misses::{Miss, Misses};

const ROWS: usize = 128;
const WHYS: usize = ROWS - CacheResult::ALL.len();

pub(super) const OTHER: &str = "other";

#[derive(Debug, Default)]
pub(super) struct SiteCounts {
    rows: Rows,
    /// In the order of [`ASKED`] and [`BROUGHT`].
    asked: [[Histogram; BROUGHT.len()]; ASKED.len()],
    /// Body bytes sent by the application.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskedFor {
    /// The cache, and all who wait for the same.
    ForAll,
    ForOne,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum Brought {
    Whole,
    NotModified,
    /// A status of 500 or more, or an incomplete answer.
    Failed,
}

/// First index of [`SiteTotals::asked`].
pub(super) const ASKED: [AskedFor; 2] = [AskedFor::ForAll, AskedFor::ForOne];

/// Second index of [`SiteTotals::asked`].
pub(super) const BROUGHT: [Brought; 3] = [Brought::Whole, Brought::NotModified, Brought::Failed];

/// The counts of all threads of a site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteTotals {
    /// In the order of [`CacheResult::ALL`], then by the reason's name.
    pub results: Vec<ResultTotals>,
    /// Time at the application: from when it had the request to its answer's last byte.
    pub asked: [[HistogramTotals; 3]; 2],
    /// Body bytes sent by the application.
    pub bytes: u64,
    /// Most frequent misses of the last minutes, the most first.
    pub misses: Vec<Miss>,
}

/// Requests with the same cache result and reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultTotals {
    pub result: CacheResult,
    /// Empty if there is nothing to explain.
    pub why: &'static str,
    pub requests: u64,
    pub bytes: u64,
}

impl SiteCounts {
    pub(super) fn observe(&self, record: &RequestAccount<'_>, (result, why): (CacheResult, &'static str)) {
        // The proxy's own answer carries its reason.
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

    pub(super) fn fetched(&self, record: &RequestAccount<'_>) {
        self.asked(record, AskedFor::ForAll);
    }

    fn asked(&self, record: &RequestAccount<'_>, asked: AskedFor) {
        // The time of another protocol says nothing about the application.
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

/// Most reasons are empty: the C library took 80 ns to compare two empty texts (AVX-512 reads at their dangling
/// pointers).
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
}

impl AskedFor {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::ForAll => "fetch",
            Self::ForOne => "pass",
        }
    }
}

impl SiteTotals {
    pub(super) fn of<'a>(counts: impl IntoIterator<Item = &'a SiteCounts> + Clone) -> Option<Self> {
        let mut totals = Self::without_misses(counts.clone())?;
        totals.misses = Miss::most(counts.into_iter().map(|counts| counts.misses.look()).collect());
        Some(totals)
    }

    /// Sums without the misses, which are locked while they are copied.
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

    /// Requests and body bytes of the selected results.
    pub fn sum(&self, is_meant: impl Fn(CacheResult) -> bool) -> (u64, u64) {
        let meant = self.results.iter().filter(|row| is_meant(row.result));
        meant.fold((0, 0), |(requests, bytes), row| (requests + row.requests, bytes + row.bytes))
    }

    /// Estimate of the application's time saved by the cache: the number of requests in which the cache had a part (all
    /// but those passed on and the site's own answers) times the mean time of a fetched answer, less the time of the
    /// fetches. It is time with a request at the application, not CPU time; and answers from memory may have been
    /// cheaper or dearer than those fetched.
    pub fn saved(&self) -> Duration {
        let [fetched, _] = &self.asked;
        let [whole, ..] = fetched;
        let (requests, _) = self.sum(|result| result.is_saved() || result == CacheResult::Miss);
        if whole.count() == 0 {
            return Duration::ZERO;
        }
        let each = whole.sum_ns as f64 / whole.count() as f64;
        let spent: f64 = fetched.iter().map(|histogram| histogram.sum_ns as f64).sum();
        // In seconds, within the range of a duration.
        Duration::try_from_secs_f64((each * requests as f64 - spent).max(0.0) / 1e9).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests;
