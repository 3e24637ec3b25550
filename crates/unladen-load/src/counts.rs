//! The principal type is [`Counts`]: cumulative counters of a client; a run takes differences.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use http::{HeaderMap, header};

use crate::wire::Meter;

#[derive(Debug, Default)]
pub(crate) struct Counts {
    opened: Cell<u64>,
    closed_by_server: Cell<u64>,
    retries: Cell<u64>,
    /// Requests without cookies that were given some.
    pub(crate) strangers: Arc<AtomicU64>,
    pub(crate) meter: Arc<Meter>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) opened: u64,
    pub(crate) closed_by_server: u64,
    pub(crate) retries: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

impl Counts {
    pub(crate) fn opened(&self) {
        self.opened.update(|opened| opened + 1);
    }

    pub(crate) fn closed_by_server(&self) {
        self.closed_by_server.update(|closed| closed + 1);
    }

    pub(crate) fn retried(&self) {
        self.retries.update(|retries| retries + 1);
    }

    /// Counts a stranger who was given cookies: an answer with cookies to a request without any.
    pub(crate) fn met(&self, bore_cookies: bool, answer: &HeaderMap) {
        if !bore_cookies && answer.contains_key(header::SET_COOKIE) {
            self.strangers.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn read(&self) -> Reading {
        Reading {
            opened: self.opened.get(),
            closed_by_server: self.closed_by_server.get(),
            retries: self.retries.get(),
            sent: self.meter.sent.load(Relaxed),
            received: self.meter.received.load(Relaxed),
        }
    }
}

impl Reading {
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            opened: self.opened - before.opened,
            closed_by_server: self.closed_by_server - before.closed_by_server,
            retries: self.retries - before.retries,
            sent: self.sent - before.sent,
            received: self.received - before.received,
        }
    }
}
