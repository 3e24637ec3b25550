//! The principal type is [`Pprof`]: files for pprof.

use crate::input::Input;
use crate::profile::Profile;
use crate::read::{ReadError, Reader};

/// Reads files for pprof.
pub(crate) struct Pprof;

impl Reader for Pprof {
    fn name(&self) -> &'static str {
        "pprof"
    }

    fn about(&self) -> &'static str {
        "Go's pprof, and what others write for it: protocol buffers, mostly with gzip"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let _ = head;
        false
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        Err(ReadError::at_byte(self.name(), input.offset(), "not yet"))
    }
}
