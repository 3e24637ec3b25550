//! The principal type is [`Exchange`]: times and result of one request and its response.
//!
//! ```
//! # use std::time::{Duration, Instant};
//! # use unladen_load::{Digest, Exchange};
//! # let planned = Instant::now();
//! # let exchange = Exchange {
//! #     planned, sent: planned + Duration::from_millis(1), first_byte: planned + Duration::from_millis(8),
//! #     done: planned + Duration::from_millis(9), status: 200, body_bytes: 5, digest: Digest::of(b"hello"), connect: None, retried: false,
//! # };
//! assert_eq!(exchange.latency(), Duration::from_millis(9), "from the planned time, not from the sending");
//! assert!(exchange.reused(), "no connection was opened for it");
//! ```

use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_64;

/// Record of one answered request.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// When it was to be sent: by the schedule, or, back to back, when its worker was free.
    pub planned: Instant,
    pub sent: Instant,
    /// When the response's head had been read.
    pub first_byte: Instant,
    pub done: Instant,
    pub status: u16,
    /// Length of the body, bytes, without framing.
    pub body_bytes: u64,
    pub digest: Digest,
    pub connect: Option<ConnectTimes>,
    /// Whether a kept connection died under it, so that it was sent again.
    pub retried: bool,
}

/// Durations of opening a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectTimes {
    pub transport: Duration,
    pub tls: Option<Duration>,
}

impl Exchange {
    /// From the planned time to the last byte: what a user at that time would have waited.
    pub fn latency(&self) -> Duration {
        self.done.saturating_duration_since(self.planned)
    }

    /// Whether it used a connection that was already open.
    pub fn reused(&self) -> bool {
        self.connect.is_none()
    }

    /// What tells its answer from another one.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint { status: self.status, length: self.body_bytes, digest: self.digest }
    }
}

/// XXH3 hash of a body (64 bits, seed 0): quick, and safe except against deliberate forgery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, derive_more::Display)]
#[display("{_0:016x}")]
pub struct Digest(pub u64);

// === impl Digest ===

impl Digest {
    /// Digest of a whole body.
    pub fn of(body: &[u8]) -> Self {
        Self(xxh3_64(body))
    }
}

/// What tells one answer to a request from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    pub status: u16,
    /// Length of the body, bytes.
    pub length: u64,
    pub digest: Digest,
}

/// How an answer compares with the first one to the same request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same status and body; also the first answer itself.
    Same,
    /// Another status (of those expected), or another body.
    Changed,
}

impl Fingerprint {
    /// Compares an answer with the first one.
    pub fn verdict(&self, first: &Self) -> Verdict {
        if self == first { Verdict::Same } else { Verdict::Changed }
    }
}

#[cfg(test)]
mod tests;
