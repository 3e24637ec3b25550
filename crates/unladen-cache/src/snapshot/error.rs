//! The principal type is [`SnapshotError`]: why a snapshot is not used.

use super::format::FORMAT;

/// Why a snapshot is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    #[error("it is no snapshot")]
    NoSnapshot,
    #[error("it has format {0}, and this version reads {expected}", expected = FORMAT)]
    Format(u32),
    #[error("a checksum is wrong: it was torn, or its disk is faulty")]
    Checksum,
    #[error("it ends early")]
    Short,
    /// There is data behind its end, or less before it than the end says.
    #[error("its end is not where it should be")]
    End,
    #[error("it has a frame of the unknown kind {0}")]
    Kind(u32),
    #[error("a frame has {0} bytes, which is more than is stored of one response")]
    Long(u64),
    /// No stored response can look like this.
    #[error("a response in it has a wrong {0}")]
    Entry(&'static str),
}
