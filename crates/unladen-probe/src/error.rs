//! The principal type is [`ProbeError`].

use std::io;
use std::path::PathBuf;

/// Why the system's counters could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    #[error("cannot read {}: {source}. Unladen reads the counters of all processes there: is /proc mounted?", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot make sense of {}: expected {expected}, found {found:?}. This kernel's format is not known: please report it", path.display())]
    Malformed { path: PathBuf, expected: &'static str, found: String },
    #[error("{} lists no process, not even this one: is it a proc file system?", path.display())]
    Empty { path: PathBuf },
}
