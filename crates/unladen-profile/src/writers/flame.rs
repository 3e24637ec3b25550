//! The principal type is [`Flame`].

use std::io::{self, Write};

use crate::diff::Diff;
use crate::profile::Profile;
use crate::write::Writer;

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
        let _ = (profile, out);
        todo!()
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
    /// Boxes narrower than this are not drawn, in pixels: nobody sees them, and a million stacks would be a file that no
    /// browser opens.
    pub least: f64,
}

/// Draws a flame graph: the outermost frames at the bottom.
///
/// # Errors
/// Only those of `out`.
pub fn flame(profile: &Profile, style: &FlameStyle, out: &mut dyn Write) -> io::Result<()> {
    let _ = (profile, style, out);
    todo!()
}

/// Draws a differential flame graph: the candidate's widths; red what has grown, blue what has shrunk, grey what is not told from
/// no change.
///
/// # Errors
/// Only those of `out`.
pub fn flame_diff(diff: &Diff, style: &FlameStyle, out: &mut dyn Write) -> io::Result<()> {
    let _ = (diff, style, out);
    todo!()
}
