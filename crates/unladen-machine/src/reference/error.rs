//! The principal type is [`ReferenceError`].

use std::io;

use nix::errno::Errno;
use thiserror::Error;

/// Why a piece of reference work cannot be done. The measurement itself does not need it.
#[derive(Debug, Error)]
pub enum ReferenceError {
    /// The kernel gives no pipe, or the pipe does not carry bytes.
    #[error("reference work needs a pipe of its own: {source}; `ulimit -n` shows how many files may be open")]
    Pipe { source: io::Error },
    /// The kernel does not give the thread's CPU time.
    #[error("reference work needs the clock CLOCK_THREAD_CPUTIME_ID: {source}")]
    Clock { source: Errno },
}
