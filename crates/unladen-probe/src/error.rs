//! The principal type is [`ProbeError`].

use std::io;
use std::path::PathBuf;

/// Why the system's counters could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// A file of the kernel could not be read.
    #[error("cannot read {}: {source}. Unladen reads the counters of all processes there: is /proc mounted?", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of the kernel reads otherwise than documented.
    #[error("cannot make sense of {}: expected {expected}, found {found:?}. This kernel's format is not known: please report it", path.display())]
    Malformed {
        /// Which.
        path: PathBuf,
        /// What proc(5) promises.
        expected: &'static str,
        /// The first bytes of what was there.
        found: String,
    },
    /// /proc shows no processes at all.
    #[error("{} lists no process, not even this one: is it a proc file system?", path.display())]
    Empty {
        /// The directory.
        path: PathBuf,
    },
}
