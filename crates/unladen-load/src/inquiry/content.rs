//! The principal type is [`Content`]: a body unpacked, as far as that can be done.

use bytes::Bytes;

use crate::sample::Sample;
use crate::unpacked::{MOST, Unpacked};

/// The largest body that is kept, in bytes.
pub(crate) const MAX_CONTENT: usize = MOST;

/// What a body says, whatever it is packed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Text(Bytes),
    /// It is packed in another way than gzip.
    Packed,
    /// It is too long, or not what it says it is.
    Unknown,
}

impl Content {
    /// Of a sample with up to [`MAX_CONTENT`] bytes of its body.
    pub(crate) fn of(sample: &Sample) -> Self {
        match sample.unpacked() {
            Some(Unpacked { content, is_whole: true }) => Self::Text(content),
            None if sample.is_all_kept() => Self::Packed,
            _ => Self::Unknown,
        }
    }
}
