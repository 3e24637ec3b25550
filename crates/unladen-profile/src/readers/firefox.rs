//! The principal type is [`Firefox`]: files for Firefox's profiler.

use crate::input::Input;
use crate::profile::Profile;
use crate::read::{ReadError, Reader};

/// Reads files for Firefox's profiler.
pub(crate) struct Firefox;

impl Reader for Firefox {
    fn name(&self) -> &'static str {
        "firefox"
    }

    fn about(&self) -> &'static str {
        "Firefox's profiler, and what writes for it: samply"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let _ = head;
        false
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        Err(ReadError::at_byte(self.name(), input.offset(), "not yet"))
    }
}
