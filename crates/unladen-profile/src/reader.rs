//! The principal type is [`ProfileReader`], of one format.

use crate::input::Input;
use crate::profile::Profile;
use crate::read_error::ReadError;

/// Reads profiles of one format.
pub trait ProfileReader: Sync {
    /// Its name, as in `--format NAME`.
    fn name(&self) -> &'static str;

    /// What writes such files, in half a line.
    fn about(&self) -> &'static str;

    /// Whether a file that begins like this is of the format. As much of the beginning is given as [`HEAD`], or the
    /// whole file.
    fn recognises(&self, head: &[u8]) -> bool;

    /// Reads it. Several profiles in one file become one, where they count the same.
    ///
    /// # Errors
    /// When the file is not of the format, is cut off, or is beyond what may be believed; with the place.
    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError>;
}

/// As much of a file's beginning is looked at to tell its format.
pub(crate) const HEAD: usize = 64 << 10;

/// Stacks deeper than this are no stacks: a file that has one is refused.
pub(crate) const MAX_DEPTH: usize = 100_000;
