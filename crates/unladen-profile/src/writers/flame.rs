//! The principal functions are [`flame`] and [`flame_diff`]: pictures of all stacks, which need nothing but a browser.
//!
//! The file is complete without its script: boxes, names, titles on hovering. The script adds zoom, search and the
//! keyboard.

use std::io::{self, Write};

use crate::diff::Diff;
use crate::profile::Profile;
use crate::write::Writer;

mod amount;
mod colour;
mod compared;
mod data;
mod draw;
mod name;
mod tree;

use amount::Amounts;
use draw::Picture;
use tree::Tree;

/// For any browser: a flame graph, with search and zoom.
pub(crate) struct Flame;

impl Writer for Flame {
    fn name(&self) -> &'static str {
        "flame"
    }

    fn about(&self) -> &'static str {
        "any browser: a flame graph, with search and zoom"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &[".svg"]
    }

    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        flame(profile, &FlameStyle::of(profile), out)
    }
}

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

// === impl FlameStyle ===

impl FlameStyle {
    /// With what a profile says of itself: `120 requests · excimer · 1 sample = 1 ms`.
    pub fn of(profile: &Profile) -> Self {
        let title = Some(profile.about.title.as_str()).filter(|title| !title.is_empty()).unwrap_or("profile");
        Self { title: title.to_owned(), subtitle: amount::subtitle(profile), width: WIDTH, least: LEAST }
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

    fn width(&self) -> f64 {
        f64::from(self.width.clamp(*WIDTHS.start(), *WIDTHS.end()))
    }

    /// The part of the whole that the narrowest box has.
    fn least_part(&self) -> f64 {
        if self.least > 0.0 { self.least / self.width() } else { 0.0 }
    }
}

/// Draws a flame graph: the outermost frames at the bottom.
///
/// # Errors
/// Only those of `out`.
pub fn flame(profile: &Profile, style: &FlameStyle, out: &mut dyn Write) -> io::Result<()> {
    let mut own = vec![0.0; profile.stacks.len()];
    for (stack, weight) in profile.clusters.iter().flat_map(|cluster| &cluster.weights) {
        if let Some(sum) = own.get_mut(stack.index()) {
            *sum += *weight as f64;
        }
    }
    let tree = Tree::new(&profile.stacks, &profile.frames, vec![own], style.least_part());
    let amounts = Amounts::of(profile);
    Picture { frames: &profile.frames, tree: &tree, amounts: &amounts, style, compared: None }.write(out)
}

/// Draws a differential flame graph: the candidate's widths; red what has grown, blue what has shrunk, grey what is not
/// told from no change. The script can show the baseline's widths too.
///
/// # Errors
/// Only those of `out`.
pub fn flame_diff(diff: &Diff, style: &FlameStyle, out: &mut dyn Write) -> io::Result<()> {
    let profile = &diff.candidate;
    let own = vec![diff.candidate_self.clone(), diff.baseline_self.clone()];
    let tree = Tree::new(&profile.stacks, &profile.frames, own, style.least_part());
    let amounts = Amounts::of_diff(diff);
    let compared = compared::Compared::new(diff, &tree);
    Picture { frames: &profile.frames, tree: &tree, amounts: &amounts, style, compared: Some(&compared) }.write(out)
}

#[cfg(test)]
mod tests;
