//! The principal type is [`Writer`], of one format.

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
