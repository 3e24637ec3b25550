//! The principal type is [`NytProf`]: files of Perl's Devel::NYTProf.
//!
//! The format is documented only by its writer and reader: FileHandle.xs and NYTProf.xs of Devel::NYTProf 6 (file
//! version 5). Lines of text (`:attribute=value`, `!option=value`, `#comment`) are followed by records of a tag,
//! numbers and strings; after the tag `z` everything is deflated. Times are Perl numbers in ticks, from which
//! Devel::NYTProf has subtracted its own work on statements.
//!
//! With `calls=1` or `calls=2` a file has each return, and so all stacks, as nytprofcalls gives them. Otherwise it has
//! only sums of who called whom, at its end: stacks are then at most two deep. Time spent outside any subroutine is in
//! neither.
//!
//! A program that takes requests over FastCGI waits for each in one of [`log::WAITS`], which separates its requests.
//! The start and the end of such a process are no requests and left out.
//!
//! A file is one process. The children of one that forks write files of their own.

mod callers;
mod calls;
mod log;
mod paths;
mod source;
mod subs;
mod tree;

use crate::input::Input;
use crate::profile::Profile;
use crate::read_error::ReadError;
use crate::reader::ProfileReader;
use log::{Log, MAGIC};
use source::{FORMAT, LogText};

pub(crate) struct NytProf;

impl ProfileReader for NytProf {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn about(&self) -> &'static str {
        "Perl's Devel::NYTProf: nytprof.out"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    fn read(&self, input: &mut Input<'_>) -> Result<Profile, ReadError> {
        Log::read(&mut LogText::new(input))
    }
}

#[cfg(test)]
mod tests;
