//! The principal type is [`ProfileReader`], of one format.

use crate::input::Input;
use crate::profile::Profile;
use crate::read_error::ReadError;

/// Reads profiles of one format.
pub trait ProfileReader: Sync {
    /// As in `--format NAME`.
    fn name(&self) -> &'static str;

    /// Half a line on what writes such files.
    fn about(&self) -> &'static str;

    /// Whether a file that begins like this is of the format. `head` has [`HEAD`] bytes, or the whole file.
    fn recognises(&self, head: &[u8]) -> bool;

    /// Reads the file. Several profiles in one file become one, if they count the same. Fails, with the place, if the
    /// file is not of the format, truncated, or implausible.
    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError>;
}

/// Bytes of a file's beginning used to recognise its format.
pub(crate) const HEAD: usize = 64 << 10;

/// Deeper stacks are implausible: a file that has one is refused.
pub(crate) const MAX_DEPTH: usize = 100_000;
