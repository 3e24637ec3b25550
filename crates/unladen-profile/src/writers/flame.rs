//! The principal functions are [`flame`] and [`flame_diff`]: pictures of all stacks for any browser.
//!
//! The file works without its script: boxes, names, titles on hovering. The script adds zoom, search and the keyboard.

use std::io::{self, Write};

use crate::diff::Diff;
use crate::profile::Profile;
use crate::writers::Writer;

mod amount;
mod colour;
mod compared;
mod draw;
mod name;
mod tree;

use amount::Amounts;
use draw::Picture;
use tree::Tree;

pub use amount::FlameStyle;

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

/// Draws a flame graph with the outermost frames at the bottom. Fails only if `out` does.
pub fn flame(profile: &Profile, style: &FlameStyle, out: &mut dyn Write) -> io::Result<()> {
    let own = profile.self_weights().into_iter().map(|weight| weight as f64).collect();
    let tree = Tree::new(&profile.stacks, &profile.frames, vec![own], style.least_part());
    let amounts = Amounts::of(profile);
    Picture { frames: &profile.frames, tree: &tree, amounts: &amounts, style, compared: None }.write(out)
}

/// Draws a differential flame graph with the candidate's widths: red has grown, blue has shrunk, grey is no significant
/// change. The script can show the baseline's widths too. Fails only if `out` does.
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
