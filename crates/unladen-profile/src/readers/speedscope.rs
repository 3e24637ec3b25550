//! The principal type is [`Speedscope`]: files for Speedscope.

use crate::input::Input;
use crate::profile::Profile;
use crate::read::{ReadError, Reader};

/// Reads files for Speedscope.
pub(crate) struct Speedscope;

impl Reader for Speedscope {
    fn name(&self) -> &'static str {
        "speedscope"
    }

    fn about(&self) -> &'static str {
        "Speedscope and what writes for it: Excimer, py-spy, rbspy"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let _ = head;
        false
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        Err(ReadError::at_byte(self.name(), input.offset(), "not yet"))
    }
}
