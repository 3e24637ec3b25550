//! Reads and writes `traceparent` (W3C Trace Context, level 1): [`incoming`] turns the client's into a [`Trace`],
//! [`write`] writes it for the upstream.
//!
//! `tracestate` belongs to the `traceparent` it came with: if the trace begins here ([`Trace::parent_id`] is `None`),
//! the client's is not passed on (section 4.3). A request with more than one `traceparent` counts as having none.

use crate::Trace;

use super::{hex, random};

/// Bytes of a `traceparent` of version 00.
pub const LENGTH: usize = 55;

/// A client's trace, span and sampling decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    pub trace_id: [u8; 16],
    pub span_id: [u8; 8],
    pub sampled: bool,
}

/// Trace of a request with a new span: the client's trace if its `traceparent` is valid, else a new one.
///
/// The client decides about sampling; of new traces, `sample` is the sampled share.
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

/// Parses a `traceparent`; `None` if it is to be ignored (section 3.2.2).
pub fn parse(header: &[u8]) -> Option<Parent> {
    // version "-" trace-id "-" parent-id "-" flags
    let (head, rest) = header.split_at_checked(LENGTH)?;
    let [version] = hex::read(&head[..2])?;
    // Higher versions begin with the same parts; what follows is unknown (section 3.2.3).
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

/// Appends the `traceparent` for the upstream, [`LENGTH`] bytes: version 00, all flags zero except sampling (section
/// 3.2.2.5).
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

/// Decides by the trace's last 56 bits, which level 2 requires to be random, so that all nodes with the same share
/// decide alike.
fn is_sampled(trace_id: u128, sample: f64) -> bool {
    const RANDOM_BITS: u128 = (1 << 56) - 1;
    // The share of 2^56, which an f64 holds well enough; NaN becomes 0.
    let sampled = (sample.clamp(0.0, 1.0) * (1_u64 << 56) as f64) as u128;
    (trace_id & RANDOM_BITS) + sampled > RANDOM_BITS
}

#[cfg(test)]
mod tests;
