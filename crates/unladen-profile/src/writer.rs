//! The principal type is [`Writer`], of one format.

use std::io::{self, Write};

use crate::profile::Profile;

/// Writes profiles in one format.
pub trait Writer: Sync {
    /// Its name, as in `--format NAME`.
    fn name(&self) -> &'static str;

    /// What reads such files, in half a line.
    fn about(&self) -> &'static str;

    /// The ends of file names that stand for it, the longest first, with the dot: `.speedscope.json`. The first is used
    /// where a name is made.
    fn suffixes(&self) -> &'static [&'static str];

    /// Writes it.
    ///
    /// # Errors
    /// Only those of `out`.
    fn write(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()>;
}
