//! The principal type is [`Amounts`]: how weights are written.

use crate::diff::Diff;
use crate::profile::{Profile, Unit};

pub(super) struct Amounts {
    /// Multiplies weights.
    pub(super) factor: f64,
    pub(super) scale: Scale,
    /// ` a request`, or nothing.
    pub(super) per: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(super) enum Scale {
    Time,
    Bytes,
    Samples,
    Events,
    /// Parts of the whole: only percentages.
    Part,
}

impl Amounts {
    /// Per request, if the number of requests is known.
    pub(super) fn of(profile: &Profile) -> Self {
        let (factor, scale) = unit(profile);
        let factor = factor / profile.about.of_one() as f64;
        match profile.requests() {
            Some(requests) if requests > 0 => Self { factor: factor / requests as f64, scale, per: " a request" },
            _ => Self { factor, scale, per: "" },
        }
    }

    pub(super) fn of_diff(diff: &Diff) -> Self {
        let (factor, scale) = unit(&diff.candidate);
        if diff.per_request {
            Self { factor, scale, per: " a request" }
        } else {
            Self { factor: 100.0, scale: Scale::Part, per: "" }
        }
    }

    /// `1.23 ms`; the script does the same (`amount`).
    pub(super) fn text(&self, weight: f64) -> String {
        let value = weight * self.factor;
        let (value, unit) = self.scale.scaled(value);
        format!("{}{unit}", digits(value))
    }
}

impl Scale {
    fn scaled(self, value: f64) -> (f64, &'static str) {
        let steps: &[(f64, &str)] = match self {
            Self::Time => &[(1e9, " s"), (1e6, " ms"), (1e3, " µs"), (1.0, " ns")],
            Self::Bytes => &[(1e9, " GB"), (1e6, " MB"), (1e3, " kB"), (1.0, " B")],
            Self::Samples => &[(1.0, " samples")],
            Self::Events => &[(1.0, " events")],
            Self::Part => &[(1.0, " %")],
        };
        let last = steps.len() - 1;
        let (step, unit) = steps.iter().find(|(step, _)| value.abs() >= *step).unwrap_or(&steps[last]);
        (value / step, unit)
    }
}

fn unit(profile: &Profile) -> (f64, Scale) {
    match (profile.about.unit, profile.about.period_ns) {
        (Unit::Samples, Some(period)) => (period as f64, Scale::Time),
        (Unit::Samples, None) => (1.0, Scale::Samples),
        (Unit::Nanoseconds | Unit::CpuNanoseconds, _) => (1.0, Scale::Time),
        (Unit::Bytes, _) => (1.0, Scale::Bytes),
        (Unit::Count, _) => (1.0, Scale::Events),
    }
}

/// Three digits, without needless zeros.
pub(super) fn digits(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        return "–".to_owned();
    }
    let decimals = if magnitude == 0.0 || magnitude >= 100.0 || value.fract() == 0.0 {
        0
    } else if magnitude >= 10.0 {
        1
    } else if magnitude >= 1.0 {
        2
    } else {
        3
    };
    let text = format!("{magnitude:.decimals$}");
    let sign = if value < 0.0 && text.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) { "−" } else { "" };
    format!("{sign}{text}")
}

/// `12.3 %`
pub(super) fn percent(part: f64) -> String {
    format!("{} %", digits(if part.is_finite() { part * 100.0 } else { 0.0 }))
}

/// `12,345`
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `120 requests · excimer · 1 sample = 1 ms`
pub(super) fn subtitle(profile: &Profile) -> String {
    let about = &profile.about;
    let mut parts = Vec::new();
    if let Some(requests) = profile.requests() {
        parts.push(format!("{} request{}", grouped(requests), if requests == 1 { "" } else { "s" }));
    }
    if !about.profiler.is_empty() {
        parts.push(about.profiler.clone());
    }
    parts.push(match (about.unit, about.period_ns) {
        (Unit::Samples, Some(period)) => {
            let (value, unit) = Scale::Time.scaled(period as f64);
            format!("1 sample = {}{unit}", digits(value))
        }
        (Unit::Nanoseconds, _) => "time".to_owned(),
        (Unit::CpuNanoseconds, _) => "CPU time".to_owned(),
        (unit, _) => unit.into_str().to_owned(),
    });
    parts.join(" · ")
}

/// How a flame graph looks.
#[derive(Debug, Clone, PartialEq)]
pub struct FlameStyle {
    pub title: String,
    /// Requests, profiler, meaning of a weight.
    pub subtitle: String,
    /// In pixels.
    pub width: u32,
    /// Narrower boxes are not drawn, in pixels: they would be invisible, and a million stacks would make a file that no
    /// browser opens.
    pub least: f64,
}

/// In pixels, by default.
const WIDTH: u32 = 1_200;
/// Narrowest box in pixels: a tenth of what is visible, so that zooming in shows something.
const LEAST: f64 = 0.1;
/// Permitted widths in pixels.
const WIDTHS: std::ops::RangeInclusive<u32> = 400..=20_000;

impl FlameStyle {
    /// Takes titles from a profile: `120 requests · excimer · 1 sample = 1 ms`.
    pub fn of(profile: &Profile) -> Self {
        let title = Some(profile.about.title.as_str()).filter(|title| !title.is_empty()).unwrap_or("profile");
        Self { title: title.to_owned(), subtitle: subtitle(profile), width: WIDTH, least: LEAST }
    }

    /// Takes titles from a comparison: `baseline → candidate`.
    pub fn of_diff(diff: &Diff) -> Self {
        let [baseline, candidate] = &diff.titles;
        let weights = if diff.per_request { "per request" } else { "parts of the whole" };
        Self {
            title: format!("{baseline} → {candidate}"),
            subtitle: format!("{weights} · widths of the candidate"),
            width: WIDTH,
            least: LEAST,
        }
    }

    pub(super) fn width(&self) -> f64 {
        f64::from(self.width.clamp(*WIDTHS.start(), *WIDTHS.end()))
    }

    /// The narrowest box as a part of the whole.
    pub(super) fn least_part(&self) -> f64 {
        if self.least > 0.0 { self.least / self.width() } else { 0.0 }
    }
}
