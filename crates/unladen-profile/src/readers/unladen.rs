//! The principal type is [`Unladen`]: our own format, which keeps all of a profile.

use crate::input::Input;
use crate::profile::Profile;
use crate::read::{ReadError, Reader};

/// Reads our own format, which keeps all of a profile.
pub(crate) struct Unladen;

impl Reader for Unladen {
    fn name(&self) -> &'static str {
        "unladen"
    }

    fn about(&self) -> &'static str {
        "Unladen itself: nothing is lost"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let _ = head;
        false
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        Err(ReadError::at_byte(self.name(), input.offset(), "not yet"))
    }
}
