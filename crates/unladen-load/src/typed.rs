//! Values as people type them: `1k` requests, `30` seconds, `10/s`, `localhost/x`. Each error is a clause that can
//! follow the value and the option's name: it says what is expected, with an example.
//!
//! ```
//! use std::time::Duration;
//! use unladen_load::{count_of, rate_of, time_of};
//!
//! assert_eq!(count_of("1.5k"), Ok(1_500));
//! assert_eq!(time_of("30"), Ok(Duration::from_secs(30)));
//! assert_eq!(rate_of("600/min"), Ok(10.0));
//! ```

use std::time::Duration;

pub(crate) const RATES: std::ops::RangeInclusive<f64> = 1e-3..=1e7;
const TIME: &str = "expected a time, such as 30s, 2min or 500ms; a number without a unit is seconds";
const RATE: &str = "expected a rate from 0.001 to 10,000,000 requests a second, such as 40, 40/s, 600/min or 1k";
const COUNT: &str = "expected a whole number, such as 500, 10k or 1M";

/// Parses a duration: a number without a unit is seconds, as with curl, ab and hyperfine; also `1.5s`, `2min` and
/// `1h30m`. Fails with a description of what is expected.
pub fn time_of(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    if let Ok(time) = humantime::parse_duration(text) {
        return Ok(time);
    }
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let seconds = match text[unit..].trim_start() {
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "" | "s" | "sec" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hour" | "hours" => 3600.0,
        _ => return Err(TIME.to_owned()),
    };
    let number: f64 = text[..unit].parse().map_err(|_| TIME.to_owned())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| TIME.to_owned())
}

/// Parses a count: `500`, `10k`, `1.5M`, `1,000`. Fails with a description of what is expected.
pub fn count_of(text: &str) -> Result<u64, String> {
    let refused = || COUNT.to_owned();
    let plain: String = text.trim().chars().filter(|c| !matches!(c, ',' | '_')).collect();
    if let Ok(count) = plain.parse() {
        return Ok(count);
    }
    let (number, scale) = scaled(&plain);
    let count = number.parse::<f64>().map_err(|_| refused())? * scale;
    // A float holds each whole number up to 2^53.
    if (0.0..=9e15).contains(&count) && count.fract() == 0.0 { Ok(count as u64) } else { Err(refused()) }
}

/// Parses requests a second: `40`, `40/s`, `600/min`, `1k`. Fails with a description of what is expected.
pub fn rate_of(text: &str) -> Result<f64, String> {
    any_rate(text).filter(|rate| RATES.contains(rate)).ok_or_else(|| RATE.to_owned())
}

/// Like [`rate_of`], without bounds.
pub(crate) fn any_rate(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().split_once('/').unwrap_or((text.trim(), "s"));
    let seconds = match unit.trim() {
        "s" | "sec" | "second" => 1.0,
        "m" | "min" | "minute" => 60.0,
        "h" | "hour" => 3600.0,
        _ => return None,
    };
    let (number, scale) = scaled(number.trim());
    Some(number.parse::<f64>().ok()? * scale / seconds)
}

fn scaled(text: &str) -> (&str, f64) {
    match text.strip_suffix(['k', 'K']) {
        Some(number) => (number, 1e3),
        None => text.strip_suffix('M').map_or((text, 1.0), |number| (number, 1e6)),
    }
}

/// Parses a typed URL; without a scheme it is http, as with curl.
pub(crate) fn with_scheme(text: &str) -> Result<url::Url, url::ParseError> {
    let begins_as_host = text.starts_with(|c: char| c.is_alphanumeric() || c == '[');
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    // `localhost:8080` and `localhost` are hosts; `mailto:me` has a scheme, and so has a text with `://`.
    let is_host = !host.contains(':') || host.rsplit(':').next().is_some_and(|port| port.parse::<u16>().is_ok());
    if begins_as_host && !text.contains("://") && (is_host || host.ends_with(']')) {
        return url::Url::parse(&format!("http://{text}"));
    }
    url::Url::parse(text)
}

#[cfg(test)]
mod tests;
