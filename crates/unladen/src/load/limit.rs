//! The principal type is [`Limit`]: a bound on a latency quantile, `p95<100ms`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Limit {
    text: String,
    /// 0 … 1; the mean is not supported.
    pub(crate) quantile: f64,
    pub(crate) latency: Duration,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no limit: expected a quantile, `<` and a time, such as p95<100ms or p99.9<1s")]
pub(crate) struct LimitError {
    text: String,
}

// === impl Limit ===

impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let wrong = || LimitError { text: text.to_owned() };
        let (quantile, latency) = text.split_once('<').ok_or_else(wrong)?;
        let latency = latency.strip_prefix('=').unwrap_or(latency).trim();
        let percent: f64 = quantile.trim().strip_prefix('p').and_then(|p| p.parse().ok()).ok_or_else(wrong)?;
        let latency = humantime::parse_duration(latency).map_err(|_| wrong())?;
        if !(percent > 0.0 && percent < 100.0) || latency.is_zero() {
            return Err(wrong());
        }
        Ok(Self { text: text.to_owned(), quantile: percent / 100.0, latency })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
