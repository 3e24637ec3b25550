//! The principal type is [`FlameStyle`].

use super::amount::subtitle;
use crate::diff::Diff;
use crate::profile::Profile;

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
