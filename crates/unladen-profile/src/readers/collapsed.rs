//! The principal type is [`Collapsed`]: collapsed stacks.

use crate::input::Input;
use crate::profile::Profile;
use crate::read::{ReadError, Reader};

/// Reads collapsed stacks.
pub(crate) struct Collapsed;

impl Reader for Collapsed {
    fn name(&self) -> &'static str {
        "collapsed"
    }

    fn about(&self) -> &'static str {
        "stackcollapse, py-spy's raw format, Excimer's formatCollapsed: `a;b;c 12` in each line"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let _ = head;
        false
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        Err(ReadError::at_byte(self.name(), input.offset(), "not yet"))
    }
}
