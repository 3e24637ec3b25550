//! The fleet's part of a purge's answer: [`told`].

use serde_json::{Value, json};
use unladen_fleet::Outcome;

pub(super) fn told(outcome: &Outcome) -> Value {
    json!({
        "wait": outcome.wait.as_str(),
        "confirmed": outcome.is_confirmed,
        "written": outcome.written.as_ref().map(ToString::to_string),
        "why": outcome.why,
        "took_ms": milliseconds(outcome.took),
        "nodes": outcome.nodes.iter().map(|node| json!({
            "node": node.node,
            "confirmed_ms": node.confirmed_after.map(milliseconds),
            "left": node.has_left,
        })).collect::<Vec<_>>(),
    })
}

/// Rounded to the microsecond.
fn milliseconds(time: std::time::Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
