//! The principal type is [`Excimer`]: logs of PHP's Excimer.

use crate::input::Input;
use crate::profile::{ClusterId, Profile};
use crate::read::{ReadError, Reader};

/// Reads logs of PHP's Excimer.
pub(crate) struct Excimer;

impl Reader for Excimer {
    fn name(&self) -> &'static str {
        "excimer"
    }

    fn about(&self) -> &'static str {
        "PHP's Excimer, as Unladen has it write its log"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let _ = head;
        false
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        Err(ReadError::at_byte(self.name(), input.offset(), "not yet"))
    }
}

/// Reads what Excimer has logged of one request into a cluster: the lines that `unladen-profiler`'s wrapper writes.
///
/// A line each for a frame, a stack and a sample, in JSON; the first says what follows.
#[derive(Debug)]
pub struct ExcimerLog;

impl ExcimerLog {
    /// Adds the samples of a log to a cluster. Frames of `wrapper`, a path, are ours and left out.
    ///
    /// # Errors
    /// When the log is none, or is cut off.
    pub fn add(input: &mut Input<'_>, wrapper: Option<&str>, profile: &mut Profile, cluster: ClusterId) -> Result<(), ReadError> {
        let _ = (wrapper, profile, cluster);
        Err(ReadError::at_byte("excimer", input.offset(), "not yet"))
    }
}
