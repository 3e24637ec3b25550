//! The principal type is [`Shard`]: one thread's counts for one upstream. Readers add up the shards ([`Totals`]).
//!
//! A request takes no lock and allocates nothing, except when a kind of request ([`Kind`]) is new. Kinds per upstream
//! are bounded: whatever methods and statuses peers invent, they fill `KINDS` rows, and the rest is counted by its end
//! alone.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::exemplar::{BucketExemplars, Exemplars};
use super::histogram::{Counter, Histogram, HistogramTotals};
use super::request_account::Method;
use super::site_counts::{SiteCounts, SiteTotals};
use super::{End, Reason, RequestAccount, Reuse, Version};

/// Rows of a shard, a power of two. The rows that count by end alone are fewer than [`RESERVED`].
const ROWS: usize = 256;
const RESERVED: usize = 128;

pub(super) const KINDS: usize = ROWS - RESERVED;

/// Labels that requests are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub method: Method,
    /// Status sent; 0 if none, or for the rest.
    pub status: u16,
    pub end: End,
    /// A further kind beyond [`KINDS`], not distinguished.
    pub rest: bool,
}

#[derive(Debug, Default)]
pub(super) struct Shard {
    rows: Rows,
    kinds: Counter,
    first_byte: Histogram,
    connect: Histogram,
    reuse: [Counter; REUSES.len()],
    versions: [Counter; VERSIONS.len()],
    begun: Counter,
    ended: Counter,
    attempts: Counter,
    retries: Counter,
    bytes_in: Counter,
    bytes_out: Counter,
    clients_opened: Counter,
    clients_closed: Counter,
    site: OnceLock<Box<SiteCounts>>,
}

#[derive(Debug)]
struct Rows(Box<[OnceLock<Box<Row>>]>);

#[derive(Debug)]
struct Row {
    kind: Kind,
    server: Histogram,
    client: Histogram,
    examples: OnceLock<Box<Examples>>,
}

#[derive(Debug, Default)]
struct Examples {
    server: Exemplars,
    client: Exemplars,
}

/// The counts of all threads for one upstream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    pub kinds: Vec<KindTotals>,
    /// From the request's first byte to the response's head.
    pub first_byte: HistogramTotals,
    /// From the complete request head to the connection, for requests that opened one.
    pub connect: HistogramTotals,
    pub reuse: [u64; 5],
    pub versions: [u64; 3],
    pub begun: u64,
    pub ended: u64,
    pub attempts: u64,
    /// Attempts after the first.
    pub retries: u64,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub clients_opened: u64,
    pub clients_closed: u64,
    pub site: Option<SiteTotals>,
}

/// Requests of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct KindTotals {
    pub kind: Kind,
    /// As the client saw them: from the first byte to the last.
    pub server: HistogramTotals,
    /// As the upstream saw them: from the last attempt's connection to the end, without requests that needed none.
    pub client: HistogramTotals,
    pub(super) server_exemplars: BucketExemplars,
    pub(super) client_exemplars: BucketExemplars,
}

/// Order of [`Totals::reuse`].
pub(super) const REUSES: [Reuse; 5] = [Reuse::None, Reuse::Own, Reuse::Sibling, Reuse::New, Reuse::Resumed];

/// Order of [`Totals::versions`].
pub(super) const VERSIONS: [Version; 3] = [Version::Http10, Version::Http11, Version::Http2];

impl Kind {
    fn of(record: &RequestAccount<'_>) -> Self {
        Self { method: Method::of(record.method), status: record.status, end: record.end, rest: false }
    }

    fn of_the_rest(end: End) -> Self {
        Self { method: Method::Other, status: 0, end, rest: true }
    }

    /// Start of the search for its row: frequent kinds differ in their status and method.
    fn hash(self) -> usize {
        usize::from(self.status).wrapping_mul(31).wrapping_add(self.method as usize).wrapping_mul(0x9E37_79B1) >> 7
    }

    /// Sort key: end, method, status.
    pub fn order(&self) -> (bool, &'static str, &'static str, &'static str, u16) {
        (self.rest, self.end.into_str(), self.reason().map_or("", Reason::as_str), self.method.into_str(), self.status)
    }

    /// Why the client did not get the upstream's complete answer.
    pub fn reason(&self) -> Option<Reason> {
        match self.end {
            End::Local(reason) | End::Broken(reason) => Some(reason),
            End::Answered | End::ClientGone | End::Upgraded => None,
        }
    }
}

impl Default for Rows {
    fn default() -> Self {
        Self((0..ROWS).map(|_| OnceLock::new()).collect())
    }
}

impl Shard {
    /// Counts a request that began; on the shard's thread, as all counting.
    pub(super) fn begin(&self) {
        self.begun.add(1);
    }

    pub(super) fn end(&self) {
        self.ended.add(1);
    }

    pub(super) fn client_opened(&self) {
        self.clients_opened.add(1);
    }

    pub(super) fn client_closed(&self) {
        self.clients_closed.add(1);
    }

    pub(super) fn observe(&self, record: &RequestAccount<'_>) {
        if let Some(row) = self.row(Kind::of(record)).or_else(|| self.row(Kind::of_the_rest(record.end))) {
            row.server.record(record.total);
            if let Some(trace) = record.trace.filter(|trace| trace.sampled) {
                row.examples.get_or_init(Box::default).server.put(record, trace, record.total);
            }
            row.sent(record);
        }
        if let Some(first_byte) = record.first_byte {
            self.first_byte.record(first_byte);
        }
        self.reuse[record.reuse as usize].add(1);
        self.sent(record);
        self.versions[record.client_version as usize].add(1);
        self.bytes_in.add(record.bytes_in);
        self.bytes_out.add(record.bytes_out);
        if let Some(cache) = record.cache {
            self.site.get_or_init(Box::default).observe(record, cache);
        }
    }

    /// Counts a fetch that a site made for several requests, each of which is counted by itself as its client's.
    pub(super) fn fetched(&self, record: &RequestAccount<'_>) {
        if let Some(row) = self.row(Kind::of(record)).or_else(|| self.row(Kind::of_the_rest(record.end))) {
            row.sent(record);
        }
        if record.reuse != Reuse::None {
            self.reuse[record.reuse as usize].add(1);
        }
        self.sent(record);
        self.site.get_or_init(Box::default).fetched(record);
    }

    fn sent(&self, record: &RequestAccount<'_>) {
        if let (Some(connected), Reuse::New | Reuse::Resumed) = (record.connected, record.reuse) {
            self.connect.record(connected.saturating_sub(record.head));
        }
        self.attempts.add(u64::from(record.attempts));
        self.retries.add(u64::from(record.attempts.saturating_sub(1)));
    }

    fn row(&self, kind: Kind) -> Option<&Row> {
        let first = kind.hash();
        for i in 0..ROWS {
            let slot = &self.rows.0[(first + i) % ROWS];
            match slot.get() {
                Some(row) if row.kind == kind => return Some(row),
                Some(_) => {}
                None if kind.rest || self.kinds.get() < KINDS as u64 => {
                    if !kind.rest {
                        self.kinds.add(1);
                    }
                    let row = Row {
                        kind,
                        server: Histogram::default(),
                        client: Histogram::default(),
                        examples: OnceLock::new(),
                    };
                    return Some(slot.get_or_init(|| Box::new(row)));
                }
                None => return None,
            }
        }
        None
    }
}

impl Row {
    fn sent(&self, record: &RequestAccount<'_>) {
        if let (Some(connected), 1..) = (record.connected, record.attempts) {
            let took = record.total.saturating_sub(connected);
            self.client.record(took);
            if let Some(trace) = record.trace.filter(|trace| trace.sampled) {
                self.examples.get_or_init(Box::default).client.put(record, trace, took);
            }
        }
    }
}

impl Totals {
    pub(super) fn of<'a>(shards: impl IntoIterator<Item = &'a Shard> + Clone) -> Self {
        let site = SiteTotals::of(Self::sites(shards.clone()));
        let mut totals = Self { site, ..Self::without_site(shards.clone()) };
        totals.add_exemplars(shards);
        totals
    }

    /// Sums without exemplars, and without a site's misses, which could block threads that carry requests.
    pub(super) fn without_misses<'a>(shards: impl IntoIterator<Item = &'a Shard> + Clone) -> Self {
        let site = SiteTotals::without_misses(Self::sites(shards.clone()));
        Self { site, ..Self::without_site(shards) }
    }

    fn sites<'a>(shards: impl IntoIterator<Item = &'a Shard>) -> Vec<&'a SiteCounts> {
        shards.into_iter().filter_map(|shard| shard.site.get()).map(|site| &**site).collect()
    }

    fn without_site<'a>(shards: impl IntoIterator<Item = &'a Shard>) -> Self {
        let mut totals = Self::default();
        let mut kinds = BTreeMap::new();
        for shard in shards {
            for row in shard.rows.0.iter().filter_map(OnceLock::get) {
                let sum = kinds.entry(row.kind.order()).or_insert_with(|| KindTotals {
                    kind: row.kind,
                    server: HistogramTotals::default(),
                    client: HistogramTotals::default(),
                    server_exemplars: None,
                    client_exemplars: None,
                });
                sum.server.add(&row.server.totals());
                sum.client.add(&row.client.totals());
            }
            totals.first_byte.add(&shard.first_byte.totals());
            totals.connect.add(&shard.connect.totals());
            add_each(&mut totals.reuse, &shard.reuse);
            add_each(&mut totals.versions, &shard.versions);
            // Ends first: a gauge must not be negative.
            totals.ended += shard.ended.get();
            totals.begun += shard.begun.get();
            totals.attempts += shard.attempts.get();
            totals.retries += shard.retries.get();
            totals.bytes_in += shard.bytes_in.get();
            totals.bytes_out += shard.bytes_out.get();
            totals.clients_closed += shard.clients_closed.get();
            totals.clients_opened += shard.clients_opened.get();
        }
        totals.kinds = kinds.into_values().collect();
        totals
    }

    fn add_exemplars<'a>(&mut self, shards: impl IntoIterator<Item = &'a Shard>) {
        for row in shards.into_iter().flat_map(|shard| shard.rows.0.iter().filter_map(OnceLock::get)) {
            // A new kind has no exemplars yet.
            let sums = self.kinds.iter_mut().find(|sums| sums.kind == row.kind);
            if let (Some(sums), Some(examples)) = (sums, row.examples.get()) {
                examples.server.add_to(&mut sums.server_exemplars);
                examples.client.add_to(&mut sums.client_exemplars);
            }
        }
    }

    /// Requests in flight.
    pub fn in_flight(&self) -> u64 {
        self.begun.saturating_sub(self.ended)
    }

    /// Open client connections.
    pub fn clients_open(&self) -> u64 {
        self.clients_opened.saturating_sub(self.clients_closed)
    }

    /// All completed requests, from the first byte to the last.
    pub fn requests(&self) -> HistogramTotals {
        let mut sum = HistogramTotals::default();
        for kind in &self.kinds {
            sum.add(&kind.server);
        }
        sum
    }

    /// Requests by a key of their kind; those without a key are left out.
    pub fn by<K: Ord>(&self, key: impl Fn(&Kind) -> Option<K>) -> BTreeMap<K, u64> {
        let mut counts = BTreeMap::new();
        for row in &self.kinds {
            if let Some(key) = key(&row.kind) {
                *counts.entry(key).or_default() += row.server.count();
            }
        }
        counts
    }

    /// Requests whose connection was obtained in this way.
    pub fn reused(&self, reuse: Reuse) -> u64 {
        self.reuse[reuse as usize]
    }

    /// Requests that needed no new connection.
    pub fn handshakes_avoided(&self) -> u64 {
        self.reused(Reuse::Own) + self.reused(Reuse::Sibling)
    }
}

fn add_each<const N: usize>(sums: &mut [u64; N], counters: &[Counter; N]) {
    for (sum, counter) in sums.iter_mut().zip(counters) {
        *sum += counter.get();
    }
}

#[cfg(test)]
mod tests;
