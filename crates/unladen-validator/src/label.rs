//! [`is_settling`]: whether another change may still produce the same label.
//!
//! A label with a time in whole seconds is the same for all changes of that second. A page that is fetched in that
//! second may be from before another of them: until the second is over, the label says nothing. A page fetched later is
//! from after all of them.
//!
//! A time without a zone may be of any zone. That holds for text, and for numbers too: PostgreSQL's `extract(epoch from
//! changed)` takes a `timestamp without time zone` for UTC, whatever the application's zone was when it wrote it.

use std::time::Duration;

/// This long after a second it is over by any clock that is within a second of ours.
pub const SETTLES_WITHIN: Duration = Duration::from_secs(SETTLED.unsigned_abs());
/// [`SETTLES_WITHIN`] in seconds.
const SETTLED: i64 = 2;
/// Times without a zone may be off by a multiple of this many seconds, …
const ZONES: i64 = 15 * 60;
/// … and no more than this.
const FURTHEST: i64 = 15 * 3600;
/// A tag that lies further ahead is no time, but a checksum that looks like one.
const TAG_AHEAD: i64 = 24 * 3600;
const LONGEST: usize = 512;

/// Whether a label has a time in whole seconds (`1714550400`, `2024-05-01 08:00:00`, `20240501080000`, nginx's `ETag`
/// `"6631f680-1000"`) that is not over, or lies ahead: then another change may have the same. `now` is in seconds since
/// 1970.
pub fn is_settling(label: &[u8], now: u64) -> bool {
    let label = label.get(..LONGEST).unwrap_or(label);
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    if let Some(seconds) = tagged(label) {
        let age = now.saturating_sub(seconds);
        return age < SETTLED && age > -TAG_AHEAD;
    }
    let mut at = 0;
    while let Some(&byte) = label.get(at) {
        if !byte.is_ascii_digit() {
            at += 1;
            continue;
        }
        let rest = label.get(at..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let found = match digits {
            10 => number(rest, 10).map(|seconds| (seconds, 10, true)),
            14 => compact(rest).map(|seconds| (seconds, 14, false)),
            4 => spelled(rest).map(|seconds| (seconds, 19, false)),
            _ => None,
        };
        if let Some((seconds, length, is_number)) = found
            && !has_fraction(rest.get(length..).unwrap_or_default())
            && is_young(seconds, now, is_number)
        {
            return true;
        }
        at += found.map_or(digits, |(_, length, _)| length);
    }
    false
}

/// `is_number`: seconds since 1970, which are mostly right, and if ahead, really are; a time as text may be of an
/// eastern zone.
fn is_young(seconds: i64, now: i64, is_number: bool) -> bool {
    let age = now.saturating_sub(seconds);
    if is_number && age < SETTLED {
        return true;
    }
    if age.abs() > FURTHEST {
        return age < 0;
    }
    let within = age.rem_euclid(ZONES);
    within < SETTLED || within == ZONES - 1
}

/// Whether a fraction other than zero follows: then it is no whole second.
fn has_fraction(rest: &[u8]) -> bool {
    let Some(digits) = rest.strip_prefix(b".").or_else(|| rest.strip_prefix(b",")) else { return false };
    digits.iter().take_while(|byte| byte.is_ascii_digit()).any(|digit| *digit != b'0')
}

fn number(text: &[u8], length: usize) -> Option<i64> {
    let digits = text.get(..length)?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The time of an nginx `ETag`: `"mtime-size"`, both hexadecimal, and nothing else; weak, if it was compressed.
fn tagged(label: &[u8]) -> Option<i64> {
    let label = label.strip_prefix(b"W/").unwrap_or(label);
    let inside = label.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let dash = inside.iter().position(|byte| *byte == b'-')?;
    let (time, size) = (inside.get(..dash)?, inside.get(dash + 1..)?);
    let is_hex = |text: &[u8]| text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    // Eight digits from 1978 to 2106.
    if time.len() != 8 || !(1..=16).contains(&size.len()) || !is_hex(time) || !is_hex(size) {
        return None;
    }
    i64::from_str_radix(std::str::from_utf8(time).ok()?, 16).ok()
}

/// `20240501080000`.
fn compact(text: &[u8]) -> Option<i64> {
    let part = |from: usize, length| number(text.get(from..)?, length);
    time(part(0, 4)?, part(4, 2)?, part(6, 2)?, part(8, 2)?, part(10, 2)?, part(12, 2)?)
}

/// `2024-05-01 08:00:00`, or with `T`.
fn spelled(text: &[u8]) -> Option<i64> {
    let between = [(4, &b"-"[..]), (7, b"-"), (10, b" T"), (13, b":"), (16, b":")];
    if !between.iter().all(|(place, marks)| text.get(*place).is_some_and(|mark| marks.contains(mark))) {
        return None;
    }
    let part = |from: usize, length| number(text.get(from..)?, length);
    time(part(0, 4)?, part(5, 2)?, part(8, 2)?, part(11, 2)?, part(14, 2)?, part(17, 2)?)
}

/// Seconds since 1970, of the proleptic Gregorian calendar, as if of UTC.
fn time(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Years begin in March, so that the day that may be missing is the last.
    let shifted = if month > 2 { year } else { year - 1 };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days =
        shifted * 365 + shifted.div_euclid(4) - shifted.div_euclid(100) + shifted.div_euclid(400) + of_year - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests;
