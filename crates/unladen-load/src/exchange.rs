//! The principal type is [`Exchange`]: what is known of one request and its response.
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

use crate::digest::Digest;
use crate::fingerprint::Fingerprint;

/// The record of one request that was answered.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// When it was to be sent: by the schedule, or, back to back, when its worker was free.
    pub planned: Instant,
    /// When it was handed to an open connection.
    pub sent: Instant,
    /// When the response's head had been read.
    pub first_byte: Instant,
    /// When the whole body had been read.
    pub done: Instant,
    /// The response's status.
    pub status: u16,
    /// The length of the body in bytes, without the framing.
    pub body_bytes: u64,
    /// The body's digest.
    pub digest: Digest,
    /// What it cost to open the connection, if it needed a new one.
    pub connect: Option<ConnectTimes>,
    /// Whether a connection that was open before died under it, so that it was sent once more.
    pub retried: bool,
}

/// What it took to open a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectTimes {
    /// The TCP (or Unix socket) connection.
    pub transport: Duration,
    /// The TLS handshake, if there is one.
    pub tls: Option<Duration>,
}

impl Exchange {
    /// From the planned time to the last byte: what a user at that time would have waited.
    pub fn latency(&self) -> Duration {
        self.done.saturating_duration_since(self.planned)
    }

    /// How late it was sent, the opening of a connection included.
    pub fn send_lag(&self) -> Duration {
        self.sent.saturating_duration_since(self.planned)
    }

    /// Whether it went over a connection that was open before.
    pub fn reused(&self) -> bool {
        self.connect.is_none()
    }

    /// What tells its answer from another one.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint { status: self.status, length: self.body_bytes, digest: self.digest }
    }
}
