//! The principal type is [`SystemCalls`].

use std::hint::black_box;
use std::io::{PipeReader, PipeWriter, Read as _, Write as _, pipe};

use nix::unistd::getppid;

use crate::reference::error::ReferenceError;

/// Calls that do next to nothing in the kernel.
const EMPTY: u32 = 4_000;
/// Pairs of calls that copy bytes into the kernel and out again; all in all about a millisecond.
const PAIRS: u32 = 1_200;
/// About the head of a request.
const BYTES: usize = 512;

/// Calls that need only the kernel: no file, no other process, no disk.
#[derive(Debug)]
pub(crate) struct SystemCalls {
    reader: PipeReader,
    writer: PipeWriter,
}

impl SystemCalls {
    pub(crate) fn new() -> Result<Self, ReferenceError> {
        let (reader, writer) = pipe().map_err(|source| ReferenceError::Pipe { source })?;
        Ok(Self { reader, writer })
    }

    /// Runs one piece; returns the number of calls.
    pub(crate) fn run(&mut self) -> Result<u64, ReferenceError> {
        let mut bytes = [0x2A; BYTES];
        for _ in 0..EMPTY {
            black_box(getppid());
        }
        // A pipe holds more than is written: nothing blocks.
        for _ in 0..PAIRS {
            let written = self.writer.write_all(black_box(&bytes));
            let copied = written.and_then(|()| self.reader.read_exact(black_box(&mut bytes)));
            copied.map_err(|source| ReferenceError::Pipe { source })?;
        }
        Ok(u64::from(EMPTY) + 2 * u64::from(PAIRS))
    }
}

#[cfg(test)]
mod tests;
