//! The principal type is [`FlameStyle`].

use super::amount::subtitle;
use crate::diff::Diff;
use crate::profile::Profile;

/// How a flame graph looks.
#[derive(Debug, Clone, PartialEq)]
pub struct FlameStyle {
    /// What stands above it.
    pub title: String,
    /// What stands below the title: requests, profiler, what a weight is.
    pub subtitle: String,
    /// In pixels.
    pub width: u32,
    /// Boxes narrower than this are not drawn, in pixels: nobody sees them, and a million stacks would be a file that
    /// no browser opens.
    pub least: f64,
}

/// What a picture is wide, if nobody asks for more or less, in pixels.
const WIDTH: u32 = 1_200;
/// The narrowest box, in pixels: ten times narrower than what is seen, so that there is something to see where one
/// zooms in.
const LEAST: f64 = 0.1;
/// Widths that are drawn as they are asked for, in pixels.
const WIDTHS: std::ops::RangeInclusive<u32> = 400..=20_000;

impl FlameStyle {
    /// With what a profile says of itself: `120 requests · excimer · 1 sample = 1 ms`.
    pub fn of(profile: &Profile) -> Self {
        let title = Some(profile.about.title.as_str()).filter(|title| !title.is_empty()).unwrap_or("profile");
        Self { title: title.to_owned(), subtitle: subtitle(profile), width: WIDTH, least: LEAST }
    }

    /// With what a comparison says of itself: `baseline → candidate`.
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

    /// The part of the whole that the narrowest box has.
    pub(super) fn least_part(&self) -> f64 {
        if self.least > 0.0 { self.least / self.width() } else { 0.0 }
    }
}
