//! The principal type is [`NytProf`]: files of Perl's Devel::NYTProf.

use crate::input::Input;
use crate::profile::Profile;
use crate::read::{ReadError, Reader};

/// Reads files of Perl's Devel::NYTProf.
pub(crate) struct NytProf;

impl Reader for NytProf {
    fn name(&self) -> &'static str {
        "nytprof"
    }

    fn about(&self) -> &'static str {
        "Perl's Devel::NYTProf: nytprof.out"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let _ = head;
        false
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        Err(ReadError::at_byte(self.name(), input.offset(), "not yet"))
    }
}
