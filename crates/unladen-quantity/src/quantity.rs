//! The principal type is [`Quantity`]: a number in a suitable unit, with as many digits as its margin leaves
//! meaningful.

use std::fmt;
use std::time::Duration;

/// How a unit's numbers are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// ns, shown as ns, µs, ms, s.
    Time,
    /// Bytes, shown as B, kB, MB, GB (powers of 1,000).
    Bytes,
    Count,
}

impl Kind {
    /// The scale of a unit in result documents: `ns`, `B`; `1` and all others are plain.
    pub fn of_unit(unit: &str) -> Self {
        match unit {
            "ns" => Self::Time,
            "B" => Self::Bytes,
            _ => Self::Count,
        }
    }

    /// Scales in ascending order; the last that does not exceed the value is used.
    fn scales(self) -> &'static [(f64, &'static str)] {
        match self {
            Self::Time => &[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")],
            Self::Bytes => &[(1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB")],
            Self::Count => &[(1.0, "")],
        }
    }

    fn scale(self, magnitude: f64) -> (f64, &'static str) {
        let scales = self.scales();
        *scales.iter().rev().find(|(factor, _)| magnitude >= *factor).unwrap_or(&scales[0])
    }
}

/// A value with its margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    pub kind: Kind,
    /// In the kind's base unit.
    pub value: f64,
    /// The ± in the same unit.
    pub margin: f64,
}

/// Most decimals: beyond a thousandth, the next smaller unit applies.
const MOST_DECIMALS: i32 = 3;

/// Shown for a number that is not finite.
pub const UNKNOWN: &str = "–";

impl Quantity {
    /// `17.92 ms`.
    pub fn value_text(&self) -> String {
        let (factor, unit) = self.kind.scale(self.value.abs().max(self.margin));
        join(&grouped(self.value / factor, self.decimals(factor)), unit)
    }

    /// `0.21`, in the unit of the value's text.
    pub fn margin_text(&self) -> String {
        let (factor, _) = self.kind.scale(self.value.abs().max(self.margin));
        grouped(self.margin / factor, self.decimals(factor))
    }

    /// Two significant digits of the margin are shown; a margin of zero leaves two decimals.
    fn decimals(&self, factor: f64) -> usize {
        let margin = self.margin / factor;
        let decimals = if margin > 0.0 { 1 - margin.log10().floor() as i32 } else { 2 };
        // Bytes and counts without fraction are whole.
        let whole = self.margin == 0.0 && factor == 1.0 && self.value.fract() == 0.0;
        if whole { 0 } else { decimals.clamp(0, MOST_DECIMALS) as usize }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (factor, unit) = self.kind.scale(self.value.abs().max(self.margin));
        let decimals = self.decimals(factor);
        let text = format!("{} ± {}", grouped(self.value / factor, decimals), grouped(self.margin / factor, decimals));
        f.pad(&join(&text, unit))
    }
}

/// A duration in the largest unit in which it is whole: `50ms`, `1s`, `500us`.
pub fn bucket_name(bound: Duration) -> String {
    let (number, unit) = whole(bound);
    format!("{number}{unit}")
}

/// The duration with this name; `None` for other text.
pub fn bucket(name: &str) -> Option<Duration> {
    const UNITS: [(&str, u64); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
    let digits = name.trim_end_matches(|c: char| !c.is_ascii_digit());
    let (_, ns) = UNITS.into_iter().find(|(unit, _)| name.strip_prefix(digits) == Some(unit))?;
    Some(Duration::from_nanos(digits.parse::<u64>().ok()?.checked_mul(ns)?))
}

/// The same for people: `50 ms`, `500 µs`.
pub fn bucket_text(bound: Duration) -> String {
    // 2.5 s is shown with one more digit, 1.234 s is not.
    let ns = bound.as_nanos();
    if ns > 1_000_000_000 && !ns.is_multiple_of(1_000_000_000) && ns.is_multiple_of(100_000_000) {
        return format!("{:.1} s", bound.as_secs_f64());
    }
    let (number, unit) = whole(bound);
    format!("{} {}", grouped(number as f64, 0), if unit == "us" { "µs" } else { unit })
}

fn whole(bound: Duration) -> (u128, &'static str) {
    const UNITS: [(u128, &str); 3] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let ns = bound.as_nanos();
    UNITS.iter().find(|(factor, _)| ns.is_multiple_of(*factor)).map_or((ns, "ns"), |(factor, unit)| (ns / factor, unit))
}

/// A value without margin, with three digits.
pub fn plain(kind: Kind, value: f64) -> String {
    let (factor, unit) = kind.scale(value.abs());
    let scaled = value / factor;
    let decimals = if scaled == 0.0 || scaled.fract() == 0.0 && factor == 1.0 {
        0
    } else {
        (2 - scaled.abs().log10().floor() as i32).clamp(0, MOST_DECIMALS)
    };
    join(&grouped(scaled, decimals as usize), unit)
}

/// A change without margin, with its sign: `+210 µs`, `−1.20 ms`.
pub fn signed(kind: Kind, change: f64) -> String {
    let sign = if change < 0.0 { "−" } else { "+" };
    format!("{sign}{}", plain(kind, change.abs()))
}

/// `12 to 40 ms`, `at most 40 ms`: a range; if it begins at zero, only the upper end.
pub fn between(kind: Kind, low: f64, high: f64) -> String {
    let (from, to) = (plain(kind, low), plain(kind, high.max(0.0)));
    if low <= 0.0 {
        return format!("at most {to}");
    }
    match (from.rsplit_once(' '), to.rsplit_once(' ')) {
        (Some((value, unit)), Some((_, same))) if unit == same => format!("{value} to {to}"),
        _ => format!("{from} to {to}"),
    }
}

/// A value without trailing zeros: `50 ms`, `2.5 s`; zero has no unit.
pub fn short(kind: Kind, value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = plain(kind, value);
    let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    join(number, unit)
}

/// Names unclear figures, each with the further time that would settle it: `Unclear so far: p50 (about 4 min more would
/// settle it), p99 (3.5 h more)`. `None` if all are clear.
pub fn settling(unclear: impl IntoIterator<Item = (String, Option<Duration>)>) -> Option<String> {
    let mut would = " would decide it";
    let told = unclear.into_iter().map(|(title, more)| match more {
        Some(more) => {
            let more = Duration::from_secs(more.as_secs() + 1);
            format!("{title} (about {} more{})", lasting(more), std::mem::take(&mut would))
        }
        None => title,
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("Unclear so far: {}", told.join(", ")))
}

/// A waiting time: `90 s`, `42 min`, `3.5 h`.
pub fn lasting(time: Duration) -> String {
    const MINUTES_FROM: f64 = 180.0;
    const HOURS_FROM: f64 = 7_200.0;
    let seconds = time.as_secs_f64();
    if seconds < MINUTES_FROM {
        short(Kind::Time, seconds * 1e9)
    } else if seconds < HOURS_FROM {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{} h", grouped(seconds / 3_600.0, 1))
    }
}

/// `12,345.6`
pub fn grouped(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) =
        text.split_once('.').map_or((text.as_str(), None), |(whole, fraction)| (whole, Some(fraction)));
    let mut grouped = String::new();
    if value < 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        grouped.push('−');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if let Some(fraction) = fraction {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

fn join(number: &str, unit: &str) -> String {
    if unit.is_empty() || number == UNKNOWN { number.to_owned() } else { format!("{number} {unit}") }
}

#[cfg(test)]
mod tests;
