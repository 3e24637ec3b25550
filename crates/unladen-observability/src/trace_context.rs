//! Reads and writes `traceparent` (W3C Trace Context, level 1): [`incoming`] makes a [`Trace`] of what a client sent,
//! [`write`] says it to the upstream.
//!
//! `tracestate` belongs to the `traceparent` it came with: where the trace begins here ([`Trace::parent_id`] is none)
//! the client's is not to be passed on (section 4.3). More than one `traceparent` in a request is none.

use crate::Trace;

use super::{hex, random};

/// Bytes of a `traceparent` of version 00.
pub const LENGTH: usize = 55;

/// What a client said: its trace, its span, and whether it is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Of the whole.
    pub trace_id: [u8; 16],
    /// The client's span.
    pub span_id: [u8; 8],
    /// Its decision.
    pub sampled: bool,
}

/// The trace that a request belongs to, with a span of our own: the client's, if its `traceparent` is valid, else a new
/// one.
///
/// Whether it is sampled is the client's decision; of new ones, this share is.
pub fn incoming(header: Option<&[u8]>, sample: f64) -> Trace {
    if let Some(parent) = header.and_then(parse) {
        return Trace {
            trace_id: parent.trace_id,
            parent_id: Some(parent.span_id),
            span_id: span_id(),
            sampled: parent.sampled,
        };
    }
    // All zero is invalid.
    let trace_id = random::wide_bits().max(1);
    Trace {
        trace_id: trace_id.to_be_bytes(),
        parent_id: None,
        span_id: span_id(),
        sampled: is_sampled(trace_id, sample),
    }
}

/// Reads a `traceparent`; none: it is to be ignored (section 3.2.2).
pub fn parse(header: &[u8]) -> Option<Parent> {
    // version "-" trace-id "-" parent-id "-" flags
    let (head, rest) = header.split_at_checked(LENGTH)?;
    let [version] = hex::read(&head[..2])?;
    // Of a higher version, the parts that it must have begin alike; what comes after is not known (section 3.2.3).
    let is_end = match version {
        0xFF => false,
        0 => rest.is_empty(),
        _ => rest.first().is_none_or(|&next| next == b'-'),
    };
    if !is_end || [head[2], head[35], head[52]] != [b'-'; 3] {
        return None;
    }
    let trace_id = hex::read(&head[3..35])?;
    let span_id = hex::read(&head[36..52])?;
    let [flags] = hex::read(&head[53..])?;
    if trace_id == [0; 16] || span_id == [0; 8] {
        return None;
    }
    Some(Parent { trace_id, span_id, sampled: flags & 1 == 1 })
}

/// Appends the `traceparent` for the upstream, [`LENGTH`] bytes: version 00, flags but the one of sampling zero
/// (section 3.2.2.5).
pub fn write(trace: &Trace, into: &mut Vec<u8>) {
    into.reserve(LENGTH);
    into.extend(b"00-");
    hex::write(&trace.trace_id, into);
    into.push(b'-');
    hex::write(&trace.span_id, into);
    into.extend(if trace.sampled { b"-01" } else { b"-00" });
}

fn span_id() -> [u8; 8] {
    random::bits().max(1).to_be_bytes()
}

/// By the trace's last 56 bits, which level 2 wants random, so that whoever decides by them for a larger share decides
/// alike.
fn is_sampled(trace_id: u128, sample: f64) -> bool {
    const RANDOM_BITS: u128 = (1 << 56) - 1;
    // The share of 2^56, which an f64 holds well enough; NaN becomes 0.
    let sampled = (sample.clamp(0.0, 1.0) * (1_u64 << 56) as f64) as u128;
    (trace_id & RANDOM_BITS) + sampled > RANDOM_BITS
}

#[cfg(test)]
mod tests;
