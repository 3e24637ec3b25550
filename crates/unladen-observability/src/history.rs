//! The principal type is [`History`]: counts of recent moments, so that a newly opened page shows the past. The admin
//! thread derives it from existing counters: requests cost nothing more.
//!
//! Memory is bounded: 29 MB with [`UPSTREAMS`] busy sites that have every possible reason, 0.9 MB with one of them, and
//! a third of it with the few reasons that most sites have. As JSON it may be more, so only one [`History::document`]
//! exists at a time, until it is sent.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde::{Serialize, Serializer};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::histogram::{BUCKETS, HistogramTotals};
use super::metrics::REUSES;
use super::metrics_snapshot::{CountsSnapshot, UpstreamCounts};
use super::site_counts::OTHER;
use super::stats::outcome;
use super::wall::Wall;

pub(super) const EVERY: Duration = Duration::from_secs(2);
/// Number of moments kept: 15 minutes.
pub(super) const MOMENTS: usize = 450;
/// After a longer pause (the admin address was removed for a while), the counts belong to no single moment.
const LONGEST: Duration = Duration::from_secs(10);
/// Upstreams of a moment: those with the most requests.
const UPSTREAMS: usize = 32;
/// Pairs of cache result and reason of a site: those with the most requests. The rest is added up by result.
const REASONS: usize = 24;

const PATIENCE: Duration = Duration::from_secs(1);

const OUTCOMES: [&str; 8] = ["1xx", "2xx", "3xx", "4xx", "5xx", "local_reply", "broken", "client_gone"];

#[derive(Debug)]
pub(super) struct History {
    ring: Mutex<Ring>,
    turn: Arc<Semaphore>,
}

pub(super) type Turn = OwnedSemaphorePermit;

struct Document {
    text: Vec<u8>,
    _turn: Turn,
}

/// Content of `/history`; docs/reference/json.md describes it.
#[derive(Serialize)]
struct Shown<'a> {
    schema: &'static str,
    started: String,
    pid: u32,
    every_ns: u64,
    outcomes: [&'static str; OUTCOMES.len()],
    connections: [&'static str; REUSES.len()],
    moments: &'a VecDeque<Moment>,
}

#[derive(Debug, Default)]
struct Ring {
    before: Option<Before>,
    moments: VecDeque<Moment>,
}

#[derive(Debug)]
struct Before {
    uptime: Duration,
    upstreams: HashMap<Arc<str>, Counts>,
}

#[derive(Debug)]
struct Moment {
    taken: Wall,
    uptime: Duration,
    length: Duration,
    upstreams: Box<[(Arc<str>, Counts)]>,
}

/// Counts of an upstream: since the start, or within a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct Counts {
    latency: [u64; BUCKETS],
    outcomes: [u64; OUTCOMES.len()],
    connections: [u64; REUSES.len()],
    retries: u64,
    connects: u64,
    site: Option<Box<SiteCounts>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct SiteCounts {
    results: Box<[ResultCounts]>,
    asked: [u64; BUCKETS],
    /// Count and ns, of fetches with a complete answer; in `fetched`, of all fetches.
    whole: [u64; 2],
    fetched: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct ResultCounts {
    result: &'static str,
    reason: &'static str,
    requests: u64,
    bytes: u64,
}

// === impl History ===

impl Default for History {
    fn default() -> Self {
        Self { ring: Mutex::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl History {
    pub(super) fn take(&self, snapshot: &CountsSnapshot) {
        let now: HashMap<Arc<str>, Counts> =
            snapshot.upstreams.iter().map(|upstream| (Arc::clone(&upstream.name), Counts::of(upstream))).collect();
        let mut ring = self.lock();
        if let Some(before) = &ring.before {
            let length = snapshot.uptime.saturating_sub(before.uptime);
            // The admin address has just changed: the last look was a moment ago.
            if length < EVERY / 2 {
                return;
            }
            if length <= LONGEST {
                let upstreams = before.grown(&now);
                if ring.moments.len() >= MOMENTS {
                    ring.moments.pop_front();
                }
                ring.moments.push_back(Moment { taken: snapshot.taken, uptime: snapshot.uptime, length, upstreams });
            }
        }
        ring.before = Some(Before { uptime: snapshot.uptime, upstreams: now });
    }

    /// Waits until no other document is made or sent; `None` after [`PATIENCE`].
    pub(super) async fn turn(&self) -> Option<Turn> {
        // The semaphore is never closed.
        timeout(PATIENCE, Arc::clone(&self.turn).acquire_owned()).await.ok()?.ok()
    }

    /// Content of `/history`. The turn ends when all of it is sent, or dropped.
    pub(super) fn document(&self, started: Wall, turn: Turn) -> Bytes {
        let ring = self.lock();
        let shown = Shown {
            schema: "unladen.serve-history/1",
            started: started.to_string(),
            pid: std::process::id(),
            every_ns: ns(EVERY),
            outcomes: OUTCOMES,
            connections: REUSES.map(|reuse| reuse.into_str()),
            moments: &ring.moments,
        };
        // Writing to memory does not fail.
        let mut text = serde_json::to_vec(&shown).unwrap_or_default();
        text.push(b'\n');
        Bytes::from_owner(Document { text, _turn: turn })
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'a> {
            time_ms: u64,
            uptime_ns: u64,
            length_ns: u64,
            #[serde(serialize_with = "by_name")]
            upstreams: &'a [(Arc<str>, Counts)],
        }
        Shown {
            time_ms: self.taken.ns() / 1_000_000,
            uptime_ns: ns(self.uptime),
            length_ns: ns(self.length),
            upstreams: &self.upstreams,
        }
        .serialize(serializer)
    }
}

fn by_name<S: Serializer>(upstreams: &[(Arc<str>, Counts)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(upstreams.iter().map(|(name, counts)| (&**name, counts)))
}

impl AsRef<[u8]> for Document {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}

impl Before {
    /// Increase since then, for the upstreams with the most requests.
    fn grown(&self, now: &HashMap<Arc<str>, Counts>) -> Box<[(Arc<str>, Counts)]> {
        let none = Counts::default();
        let grown = now.iter().filter_map(|(name, counts)| {
            let counts = counts.since(self.upstreams.get(name).unwrap_or(&none));
            counts.is_any().then(|| (Arc::clone(name), counts))
        });
        let mut grown: Vec<_> = grown.collect();
        grown.sort_by_cached_key(|(name, counts)| (Reverse(counts.latency.iter().sum::<u64>()), Arc::clone(name)));
        grown.truncate(UPSTREAMS);
        grown.into_boxed_slice()
    }
}

impl Counts {
    fn of(upstream: &UpstreamCounts) -> Self {
        let totals = &upstream.totals;
        let outcomes = totals.by(|kind| Some(outcome(kind)));
        Self {
            latency: totals.requests().buckets,
            outcomes: OUTCOMES.map(|name| outcomes.get(name).copied().unwrap_or(0)),
            connections: REUSES.map(|reuse| totals.reused(reuse)),
            retries: totals.retries,
            connects: upstream.connects,
            site: totals.site.as_ref().map(|site| {
                let [fetches, passes] = &site.asked;
                let several = |all: &[HistogramTotals]| {
                    let requests = all.iter().map(HistogramTotals::count).sum::<u64>();
                    [requests, all.iter().fold(0, |sum: u64, totals| sum.saturating_add(totals.sum_ns))]
                };
                let mut asked = [0; BUCKETS];
                for histogram in fetches.iter().chain(passes) {
                    for (sum, n) in asked.iter_mut().zip(histogram.buckets) {
                        *sum += n;
                    }
                }
                let results = site.results.iter().map(|row| ResultCounts {
                    result: row.result.into_str(),
                    reason: row.why,
                    requests: row.requests,
                    bytes: row.bytes,
                });
                Box::new(SiteCounts {
                    results: results.collect(),
                    asked,
                    whole: several(&fetches[..1]),
                    fetched: several(fetches),
                })
            }),
        }
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            latency: less(self.latency, before.latency),
            outcomes: less(self.outcomes, before.outcomes),
            connections: less(self.connections, before.connections),
            retries: self.retries.saturating_sub(before.retries),
            connects: self.connects.saturating_sub(before.connects),
            site: self.site.as_ref().map(|site| {
                let none = Box::default();
                Box::new(site.since(before.site.as_ref().unwrap_or(&none)))
            }),
        }
    }

    fn is_any(&self) -> bool {
        let is_any = |numbers: &[u64]| numbers.iter().any(|n| *n > 0);
        is_any(&self.latency)
            || is_any(&self.outcomes)
            || is_any(&[self.connects, self.retries])
            || self.site.as_ref().is_some_and(|site| !site.results.is_empty() || is_any(&site.asked))
    }
}

impl SiteCounts {
    fn since(&self, before: &Self) -> Self {
        let results = self.results.iter().filter_map(|now| {
            let old = before.results.iter().find(|old| (old.result, old.reason) == (now.result, now.reason));
            let [requests, bytes] =
                less([now.requests, now.bytes], old.map_or([0; 2], |old| [old.requests, old.bytes]));
            (requests > 0).then_some(ResultCounts { requests, bytes, ..*now })
        });
        Self {
            results: most(results.collect()),
            asked: less(self.asked, before.asked),
            whole: less(self.whole, before.whole),
            fetched: less(self.fetched, before.fetched),
        }
    }
}

/// Those with the most requests. The others are added up by result, under the reason [`OTHER`], so that sums stay
/// right.
fn most(mut results: Vec<ResultCounts>) -> Box<[ResultCounts]> {
    results.sort_by_key(|row| Reverse(row.requests));
    let others = results.split_off(REASONS.min(results.len()));
    for row in others {
        match results.iter_mut().find(|sum| (sum.result, sum.reason) == (row.result, OTHER)) {
            Some(sum) => {
                sum.requests += row.requests;
                sum.bytes += row.bytes;
            }
            None => results.push(ResultCounts { reason: OTHER, ..row }),
        }
    }
    results.into_boxed_slice()
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn less<const N: usize>(now: [u64; N], before: [u64; N]) -> [u64; N] {
    std::array::from_fn(|i| now[i].saturating_sub(before[i]))
}

#[cfg(test)]
mod tests;
