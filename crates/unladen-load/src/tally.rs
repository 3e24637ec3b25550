//! The principal type is [`Tally`]: counts of one run.
//!
//! ```
//! use std::time::{Duration, Instant};
//! use unladen_load::{Stop, Tally};
//!
//! # fn phase(stop: Stop) -> Tally { Tally::new() }
//! let mut all = Tally::new();
//! for _ in 0..10 {
//!     all.absorb(&phase(Stop::after(Duration::from_secs(1))));
//! }
//! println!("{} requests, median {} ns", all.requests, all.latency.value_at_quantile(0.5));
//! ```

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use crate::error::LoadError;
use crate::outcome::LoadOutcome;
use crate::run::{RunEnd, Sink};
use crate::schedule::End;

/// Maximum of single latencies in a tally, 8 MiB: some minutes at 3,000 requests a second. Beyond it only the histogram
/// goes on.
pub const KEPT_LATENCIES: usize = 1 << 20;

/// Resolution of the histogram in ns, well under the time of a request over loopback, so that it starts small.
const FINEST_NS: u64 = 1_000;

/// Three digits: 0.1 %.
const DIGITS: u8 = 3;

/// Counts of one run, or of several together.
///
/// Its size grows with the latencies kept ([`KEPT_LATENCIES`]) and with the largest latency: some 50 KiB at 20 ms.
#[derive(Clone, Debug)]
pub struct Tally {
    pub ended: End,
    /// Answered as expected.
    pub requests: u64,
    /// Latencies of `requests` in ns, from planned time to last byte, as they ended; the first [`KEPT_LATENCIES`].
    pub latencies_ns: Vec<u64>,
    /// All their latencies in ns, to three digits, above 1 µs.
    pub latency: Histogram<u64>,
    /// Requests whose answer differed from the first one to the same request.
    pub changed: u64,
    /// Bytes of bodies, without framing.
    pub body_bytes: u64,
    /// HTTP bytes before encryption.
    pub bytes_sent: u64,
    /// HTTP bytes after decryption.
    pub bytes_received: u64,
    pub connections_opened: u64,
    /// Kept connections that the server had closed before their next use.
    pub closed_by_server: u64,
    /// Requests sent a second time, since the server closed the connection just as they were sent.
    pub retries: u64,
    /// Requests planned before the end for which no worker was free in time; only at a rate.
    pub unsent: u64,
    /// Requests under way when the run was cancelled or another one failed.
    pub abandoned: u64,
    /// Longest time from planned to sent, the opening of a connection included.
    pub send_lag_max: Duration,
    /// When the first answered request was handed to a connection.
    pub first_send: Option<Instant>,
    /// When the last byte of the last answer had come.
    pub last_done: Option<Instant>,
}

// === impl Tally ===

impl Tally {
    /// An empty tally.
    pub fn new() -> Self {
        let mut latency = histogram();
        latency.auto(true);
        Self {
            ended: End::Until,
            requests: 0,
            latencies_ns: Vec::new(),
            latency,
            changed: 0,
            body_bytes: 0,
            bytes_sent: 0,
            bytes_received: 0,
            connections_opened: 0,
            closed_by_server: 0,
            retries: 0,
            unsent: 0,
            abandoned: 0,
            send_lag_max: Duration::ZERO,
            first_send: None,
            last_done: None,
        }
    }

    /// Adds another run.
    pub fn absorb(&mut self, other: &Self) {
        self.ended = other.ended;
        self.requests += other.requests;
        let room = KEPT_LATENCIES - self.latencies_ns.len().min(KEPT_LATENCIES);
        self.latencies_ns.extend(other.latencies_ns.iter().take(room));
        // Cannot fail: this histogram grows, and both have the same digits.
        let _ = self.latency.add(&other.latency);
        self.changed += other.changed;
        self.body_bytes += other.body_bytes;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.connections_opened += other.connections_opened;
        self.closed_by_server += other.closed_by_server;
        self.retries += other.retries;
        self.unsent += other.unsent;
        self.abandoned += other.abandoned;
        self.send_lag_max = self.send_lag_max.max(other.send_lag_max);
        self.first_send = earliest(self.first_send, other.first_send);
        self.last_done = self.last_done.max(other.last_done);
    }

    pub(crate) fn add_end(&mut self, end: &RunEnd) {
        self.ended = end.end;
        self.unsent += end.unsent;
        self.abandoned += end.sent - end.recorded;
        self.bytes_sent += end.counts.sent;
        self.bytes_received += end.counts.received;
        self.connections_opened += end.counts.opened;
        self.closed_by_server += end.counts.closed_by_server;
        self.retries += end.counts.retries;
    }
}

impl Sink for Tally {
    fn record(&mut self, outcome: &LoadOutcome, error: Option<&LoadError>) {
        if error.is_some() {
            return;
        }
        let latency = u64::try_from(outcome.latency().as_nanos()).unwrap_or(u64::MAX);
        self.requests += 1;
        if self.latencies_ns.len() < KEPT_LATENCIES {
            self.latencies_ns.push(latency);
        }
        // Cannot fail: the histogram grows, and a request's time is bounded.
        let _ = self.latency.record(latency);
        self.changed += u64::from(outcome.changed);
        self.body_bytes += outcome.body_bytes;
        let lag = outcome.sent.map_or(Duration::ZERO, |sent| sent.saturating_duration_since(outcome.planned));
        self.send_lag_max = self.send_lag_max.max(lag);
        self.first_send = earliest(self.first_send, outcome.sent);
        self.last_done = self.last_done.max(Some(outcome.done));
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

fn histogram() -> Histogram<u64> {
    // The library refuses only bounds out of order and more than five digits: these are constants, tested.
    let Ok(histogram) = Histogram::new_with_bounds(FINEST_NS, 2 * FINEST_NS, DIGITS) else { unreachable!() };
    histogram
}

fn earliest(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// A run that ended with an error, and its counts until then.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct RunError {
    #[source]
    pub error: LoadError,
    pub tally: Box<Tally>,
}
