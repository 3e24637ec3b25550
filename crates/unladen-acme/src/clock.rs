//! Wall time, which certificates and authorities use; not for measuring.
#![allow(clippy::disallowed_types, reason = "certificates are valid by wall time")]

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Converts an HTTP date (RFC 9110, section 5.6.7) to seconds since 1970.
pub(crate) fn http_date(text: &str) -> Option<u64> {
    let at: SystemTime = httpdate::parse_http_date(text).ok()?;
    at.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// As in RFC 3339 (UTC), to the second.
pub(crate) fn text(seconds: u64) -> String {
    // Clamped to what a calendar can express.
    let at = UNIX_EPOCH + std::time::Duration::from_secs(seconds.min(u64::from(u32::MAX)));
    humantime::format_rfc3339_seconds(at).to_string()
}
