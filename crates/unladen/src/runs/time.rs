//! Times as in stores, ns since 1970: [`now`], [`rfc3339`], [`moment`].
#![expect(clippy::disallowed_types, reason = "runs are kept with the time of the wall; nothing is measured by it")]

use std::fs::File;
use std::time::{Duration, SystemTime};

use unladen_load::time_of;

/// In UTC; times before 1970 become its beginning.
pub(crate) fn rfc3339(ns: i64) -> String {
    let since = Duration::from_nanos(u64::try_from(ns).unwrap_or(0));
    humantime::format_rfc3339_millis(SystemTime::UNIX_EPOCH + since).to_string()
}

pub(crate) fn now() -> i64 {
    nanos(SystemTime::now())
}

/// A file's mtime; now, if unknown.
pub(crate) fn written_at(file: &File) -> i64 {
    file.metadata().and_then(|metadata| metadata.modified()).map_or_else(|_| now(), nanos)
}

/// `2026-11-23T05:00:00Z`.
pub(crate) fn read_rfc3339(text: &str) -> Option<i64> {
    humantime::parse_rfc3339(text).ok().map(nanos)
}

/// Saturates at the bounds of 64 bits.
fn nanos(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
    }
}

/// `2026-11-23`, `2026-11-23T05:00:00Z`, or an age such as `7d`. The error is a clause that says what a moment is.
pub(crate) fn moment(text: &str) -> Result<i64, String> {
    let date =
        humantime::parse_rfc3339_weak(text).or_else(|_| humantime::parse_rfc3339_weak(&format!("{text}T00:00:00Z")));
    if let Ok(time) = date {
        return Ok(nanos(time));
    }
    let age = humantime::parse_duration(text).ok().or_else(|| time_of(text).ok());
    let time = age.and_then(|age| SystemTime::now().checked_sub(age));
    time.map(nanos).ok_or_else(|| "expected a date such as 2026-11-23, or an age such as 7d or 12h".to_owned())
}

#[cfg(test)]
mod tests;
