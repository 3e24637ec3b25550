//! Describes the process that metrics and spans come from: [`document`], by OpenTelemetry's conventions for resources.

use std::fs;

use serde_json::{Value, json};

use super::destination::Destination;
use super::traces::attribute;
use crate::random;

/// Attributes of this process; `node` is its name in a fleet.
pub(super) fn document(to: &Destination, instance: &str, node: Option<&str>) -> Value {
    let mut attributes = vec![
        attribute("service.name", to.service.as_str()),
        attribute("service.instance.id", instance),
        attribute("service.version", env!("CARGO_PKG_VERSION")),
        attribute("telemetry.sdk.name", "unladen"),
        attribute("telemetry.sdk.language", "rust"),
        attribute("telemetry.sdk.version", env!("CARGO_PKG_VERSION")),
        attribute("process.pid", std::process::id()),
    ];
    // The usual name, so that data of other programs on this machine can be matched.
    let host = fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned());
    let more = [
        ("host.name", host.as_deref().filter(|name| !name.is_empty())),
        ("deployment.environment.name", to.environment.as_deref()),
        ("cloud.availability_zone", to.zone.as_deref()),
        ("unladen.fleet.node", node),
    ];
    attributes.extend(more.into_iter().filter_map(|(key, value)| Some(attribute(key, value?))));
    json!({ "attributes": attributes })
}

/// A unique name: a UUID of random bits (RFC 9562, version 4), as the conventions require.
pub(super) fn instance() -> String {
    let bits = random::wide_bits() & !(0xf << 76 | 0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let hex = format!("{bits:032x}");
    let part = |from, to| hex.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests;
