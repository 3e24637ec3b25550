//! The principal type is [`LoadOutcome`]: the result of one planned request.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::LoadError;
use crate::exchange::{Exchange, Verdict};

/// Result of one planned request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadOutcome {
    pub request: usize,
    /// When it was to be sent: by the schedule; in a closed loop, when its worker was free.
    pub planned: Instant,
    /// The generator's own lateness: from planned time to begin, and over an open connection, to the sending. `None` if
    /// it had to wait for a free slot.
    pub lag: Option<Duration>,
    pub sent: Option<Instant>,
    pub first_byte: Option<Instant>,
    /// When the whole body had been read, or the request had failed.
    pub done: Instant,
    pub status: Option<u16>,
    /// Length of the body, bytes, without framing.
    pub body_bytes: u64,
    pub reused: bool,
    /// Whether a kept connection died under it, so that it was sent again.
    pub retried: bool,
    pub changed: bool,
    pub error: Option<ErrorKind>,
}

/// Kinds of errors of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum ErrorKind {
    Connect,
    Tls,
    Timeout,
    Closed,
    Protocol,
    Status,
    Body,
    Client,
}

impl LoadOutcome {
    pub(crate) fn answered(
        request: usize,
        (begun, waited): (Instant, bool),
        exchange: &Exchange,
        verdict: Verdict,
    ) -> Self {
        let reused = exchange.reused();
        let ready = if reused { exchange.sent } else { begun };
        Self {
            request,
            planned: exchange.planned,
            lag: (!waited).then(|| ready.saturating_duration_since(exchange.planned)),
            sent: Some(exchange.sent),
            first_byte: Some(exchange.first_byte),
            done: exchange.done,
            status: Some(exchange.status),
            body_bytes: exchange.body_bytes,
            reused,
            retried: exchange.retried,
            changed: verdict == Verdict::Changed,
            error: None,
        }
    }

    pub(crate) fn failed(
        request: usize,
        planned: Instant,
        (begun, waited): (Instant, bool),
        error: &LoadError,
    ) -> Self {
        let kind = Some(ErrorKind::of(error));
        if let LoadError::UnexpectedStatus { sample, .. } | LoadError::UnexpectedBody { sample, .. } = error {
            let answered = Self::answered(request, (begun, waited), &sample.exchange, Verdict::Same);
            return Self { error: kind, ..answered };
        }
        Self {
            request,
            planned,
            lag: (!waited).then(|| begun.saturating_duration_since(planned)),
            sent: None,
            first_byte: None,
            done: Instant::now(),
            status: None,
            body_bytes: 0,
            reused: false,
            retried: false,
            changed: false,
            error: kind,
        }
    }

    /// From the planned time to the end: what a user at that time would have waited.
    pub fn latency(&self) -> Duration {
        self.done.saturating_duration_since(self.planned)
    }
}

impl ErrorKind {
    /// All kinds, in the order of their numbers in record files.
    pub const ALL: [Self; 8] =
        [Self::Connect, Self::Tls, Self::Timeout, Self::Closed, Self::Protocol, Self::Status, Self::Body, Self::Client];

    /// Kind of an error.
    pub fn of(error: &LoadError) -> Self {
        match error {
            LoadError::ConnectRefused { .. } | LoadError::ConnectTimeout { .. } | LoadError::Connect { .. } => {
                Self::Connect
            }
            LoadError::Tls { .. } => Self::Tls,
            LoadError::Timeout { .. } => Self::Timeout,
            LoadError::ClosedEarly { .. } => Self::Closed,
            LoadError::Protocol { .. } => Self::Protocol,
            LoadError::UnexpectedStatus { .. } => Self::Status,
            LoadError::UnexpectedBody { .. } | LoadError::BodyTooLarge { .. } => Self::Body,
            _ => Self::Client,
        }
    }
}
