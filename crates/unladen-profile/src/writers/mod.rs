//! Written formats, one file each, and what they share. The principal type is [`Writer`], of one format.

pub(crate) mod collapsed;
pub(crate) mod firefox;
pub(crate) mod flame;
pub(crate) mod pprof;
pub(crate) mod speedscope;
pub(crate) mod unladen;

use std::io::{self, Write};

use crate::profile::Profile;

/// Writes profiles in one format.
pub trait Writer: Sync {
    /// As in `--format NAME`.
    fn name(&self) -> &'static str;

    /// Half a line on what reads such files.
    fn about(&self) -> &'static str;

    /// Its file name suffixes, longest first, with the dot: `.speedscope.json`. New names get the first.
    fn suffixes(&self) -> &'static [&'static str];

    /// Writes the profile. Fails only if `out` does.
    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()>;
}

/// A text as JSON. The rest is written by hand, so that only the profile itself is in memory.
fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Precedes an element of a list.
fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}

#[cfg(test)]
mod tests;
