//! The principal type is [`RequestRecord`]: the result of one planned request, with times in ns since the load's start.
//!
//! In a file a record takes some twenty bytes: times as differences, and numbers in LEB128 (seven bits a byte, the
//! lowest first, the highest bit set if more follow). docs/reference/records.md describes it for other readers.

use std::time::Instant;

use crate::outcome::{ErrorKind, LoadOutcome};

/// One planned request; see [`LoadOutcome`] for what the fields mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRecord {
    pub request: u32,
    /// Since the start.
    pub planned_ns: u64,
    pub lag_ns: Option<u64>,
    pub sent_ns: Option<u64>,
    pub first_byte_ns: Option<u64>,
    pub latency_ns: u64,
    pub status: Option<u16>,
    pub body_bytes: u64,
    pub reused: bool,
    /// Sent twice.
    pub retried: bool,
    pub changed: bool,
    pub error: Option<ErrorKind>,
}

/// Bits of a record's first byte; those above `CHANGED` say which fields follow.
mod flag {
    pub(super) const REUSED: u8 = 1;
    pub(super) const RETRIED: u8 = 2;
    pub(super) const CHANGED: u8 = 4;
    pub(super) const LAG: u8 = 8;
    pub(super) const SENT: u8 = 16;
    pub(super) const FIRST_BYTE: u8 = 32;
    pub(super) const STATUS: u8 = 64;
    pub(super) const ERROR: u8 = 128;
}

impl RequestRecord {
    /// Record of an outcome; `started` is the load's start.
    pub fn of(outcome: &LoadOutcome, started: Instant) -> Self {
        let since = |from: Instant, to: Instant| {
            u64::try_from(to.saturating_duration_since(from).as_nanos()).unwrap_or(u64::MAX)
        };
        Self {
            request: u32::try_from(outcome.request).unwrap_or(u32::MAX),
            planned_ns: since(started, outcome.planned),
            lag_ns: outcome.lag.map(|lag| u64::try_from(lag.as_nanos()).unwrap_or(u64::MAX)),
            sent_ns: outcome.sent.map(|sent| since(outcome.planned, sent)),
            first_byte_ns: outcome.first_byte.map(|first_byte| since(outcome.planned, first_byte)),
            latency_ns: since(outcome.planned, outcome.done),
            status: outcome.status,
            body_bytes: outcome.body_bytes,
            reused: outcome.reused,
            retried: outcome.retried,
            changed: outcome.changed,
            error: outcome.error,
        }
    }

    /// Whether it was given up at its time limit: its true latency would be longer.
    pub fn is_cut_short(&self) -> bool {
        self.error == Some(ErrorKind::Timeout)
    }

    /// Appends it; `before` is the planned time of the previous record, 0 for the first.
    pub(crate) fn write(&self, before: u64, out: &mut Vec<u8>) {
        let mut flags = 0;
        for (is_set, flag) in [
            (self.reused, flag::REUSED),
            (self.retried, flag::RETRIED),
            (self.changed, flag::CHANGED),
            (self.lag_ns.is_some(), flag::LAG),
            (self.sent_ns.is_some(), flag::SENT),
            (self.first_byte_ns.is_some(), flag::FIRST_BYTE),
            (self.status.is_some(), flag::STATUS),
            (self.error.is_some(), flag::ERROR),
        ] {
            flags |= if is_set { flag } else { 0 };
        }
        out.push(flags);
        put(zigzag(self.planned_ns.wrapping_sub(before)), out);
        put(self.latency_ns, out);
        put(u64::from(self.request), out);
        put(self.body_bytes, out);
        let status = self.status.map(u64::from);
        let error = self.error.and_then(|error| ErrorKind::ALL.iter().position(|kind| *kind == error));
        let error = error.map(|number| number as u64);
        for value in [self.lag_ns, self.sent_ns, self.first_byte_ns, status, error].into_iter().flatten() {
            put(value, out);
        }
    }

    pub(crate) fn read(before: u64, bytes: &mut &[u8]) -> Option<Self> {
        let (&flags, rest) = bytes.split_first()?;
        *bytes = rest;
        let planned_ns = before.wrapping_add(unzigzag(take(bytes)?));
        let latency_ns = take(bytes)?;
        let request = u32::try_from(take(bytes)?).ok()?;
        let body_bytes = take(bytes)?;
        let mut field = |flag| if flags & flag == 0 { Some(None) } else { take(bytes).map(Some) };
        let (lag_ns, sent_ns, first_byte_ns) = (field(flag::LAG)?, field(flag::SENT)?, field(flag::FIRST_BYTE)?);
        let (status, error) = (field(flag::STATUS)?, field(flag::ERROR)?);
        let status = status.map(u16::try_from).transpose().ok()?;
        let error = match error {
            Some(number) => Some(*ErrorKind::ALL.get(usize::try_from(number).ok()?)?),
            None => None,
        };
        Some(Self {
            request,
            planned_ns,
            lag_ns,
            sent_ns,
            first_byte_ns,
            latency_ns,
            status,
            body_bytes,
            reused: flags & flag::REUSED != 0,
            retried: flags & flag::RETRIED != 0,
            changed: flags & flag::CHANGED != 0,
            error,
        })
    }
}

pub(crate) fn put(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number from the beginning; `None` if it is cut off or beyond 64 bits.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (mut value, mut position) = (0, 0);
    // A plain loop: it runs eight times a record, in builds without optimisation too.
    while let Some(&byte) = bytes.get(position) {
        let bits = u64::from(byte & 0x7f);
        if position == 9 && byte > 1 {
            return None;
        }
        value |= bits << (7 * position);
        position += 1;
        if byte < 0x80 {
            *bytes = &bytes[position..];
            return Some(value);
        }
    }
    None
}

/// Maps signed differences to small numbers, in the order 0, −1, 1, −2, …
fn zigzag(difference: u64) -> u64 {
    let signed = difference as i64;
    ((signed << 1) ^ (signed >> 63)) as u64
}

fn unzigzag(value: u64) -> u64 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

#[cfg(test)]
pub(crate) mod tests;
