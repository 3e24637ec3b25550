//! The principal type is [`Quantile`]: one quantile of the latency by its name, such as `p95`.
//!
//! ```
//! use unladen_prove::Quantile;
//!
//! let quantile: Quantile = "p999".parse()?;
//! assert_eq!(quantile.share(), 0.999);
//! assert_eq!(quantile.to_string(), "p999");
//! assert_eq!("p99.9".parse::<Quantile>()?, quantile);
//! # Ok::<(), unladen_prove::QuantileError>(())
//! ```

use std::fmt;
use std::str::FromStr;

/// Maximum digits of a name: `p99999` is one request in 100,000.
const MOST_DIGITS: u32 = 5;

/// A quantile between 0 and 1, written as `p` and its percentage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantile {
    /// In units of 10⁻⁵.
    parts: u32,
}

/// Why a quantile was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no quantile: expected something like p50, p95 or p99.9")]
pub struct QuantileError {
    pub text: String,
}

// === impl Quantile ===

impl Quantile {
    /// The median, p90, p95 and p99, the default of an experiment.
    pub const USUAL: [Self; 4] =
        [Self { parts: 50_000 }, Self { parts: 90_000 }, Self { parts: 95_000 }, Self { parts: 99_000 }];

    /// Share of requests at or below it, above 0 and below 1.
    pub fn share(self) -> f64 {
        f64::from(self.parts) / 1e5
    }
}

impl FromStr for Quantile {
    type Err = QuantileError;

    fn from_str(text: &str) -> Result<Self, QuantileError> {
        let parts = || {
            let number = text.strip_prefix('p')?;
            let (whole, rest) = number.split_once('.').unwrap_or_else(|| number.split_at(number.len().min(2)));
            // "p5" is the 5th percentile, "p99.9" and "p999" the same.
            let digits = format!("{whole:0>2}{rest}");
            let count = u32::try_from(digits.len()).ok()?;
            // p100 is not p10.0: the dot is only left out where people do it, from p90 on.
            let clear = number.len() <= 2 || number.contains('.') || number.starts_with('9');
            let plain =
                clear && digits.bytes().all(|byte| byte.is_ascii_digit()) && !whole.is_empty() && whole.len() <= 2;
            let parts = digits.parse::<u32>().ok().filter(|_| plain && count <= MOST_DIGITS)?;
            Some(parts * 10_u32.pow(MOST_DIGITS - count)).filter(|parts| *parts > 0)
        };
        // A multi-byte character at the cut would make split_at panic.
        let parts = if text.is_ascii() { parts() } else { None };
        parts.map(|parts| Self { parts }).ok_or_else(|| QuantileError { text: text.to_owned() })
    }
}

impl fmt::Display for Quantile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:05}", self.parts);
        let (whole, rest) = digits.split_at(2);
        write!(f, "p{whole}{}", rest.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests;
