//! The principal type is [`Tally`]: counts of one run.

use std::time::Instant;

use crate::error::LoadError;
use crate::outcome::LoadOutcome;
use crate::run::{RunEnd, Sink};
use crate::schedule::End;

/// Maximum of single latencies in a tally, 8 MiB: some minutes at 3,000 requests a second. Later ones are not kept.
pub const KEPT_LATENCIES: usize = 1 << 20;

/// The sizes of bodies of one page in bytes: the least and the greatest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodySizes(Option<(u64, u64)>);

impl BodySizes {
    /// Of bodies that nobody has counted.
    pub const UNKNOWN: Self = Self(Some((0, u64::MAX)));

    /// Adds one body.
    pub fn add(&mut self, bytes: u64) {
        self.join(Self(Some((bytes, bytes))));
    }

    /// Adds others.
    pub fn join(&mut self, Self(other): Self) {
        let Some((least, greatest)) = other else { return };
        let (own_least, own_greatest) = self.0.unwrap_or((least, greatest));
        self.0 = Some((own_least.min(least), own_greatest.max(greatest)));
    }

    /// Whether they differ by more than a time, a token or a counter in the page does: 64 bytes and 2 %.
    pub fn differ(self) -> bool {
        self.0.is_some_and(|(least, greatest)| greatest - least > 64 + greatest / 50)
    }
}

/// Counts of one run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub ended: End,
    /// Answered as expected.
    pub requests: u64,
    /// Latencies of `requests` in ns, from planned time to last byte, as they ended; the first [`KEPT_LATENCIES`].
    pub latencies_ns: Vec<u64>,
    /// Requests whose answer differed from the first one to the same request.
    pub changed: u64,
    /// Bytes of bodies, without framing.
    pub body_bytes: u64,
    pub body_sizes: BodySizes,
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
    /// When the last byte of the last answer had come.
    pub last_done: Option<Instant>,
}

// === impl Tally ===

impl Tally {
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
        self.changed += u64::from(outcome.changed);
        self.body_bytes += outcome.body_bytes;
        self.body_sizes.add(outcome.body_bytes);
        self.last_done = self.last_done.max(Some(outcome.done));
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

#[cfg(test)]
mod tests;
