//! The principal type is [`Content`]: a body unpacked, as far as possible.

use bytes::Bytes;

use crate::sample::Sample;
use crate::unpacked::{MOST, Unpacked};

/// Maximum body that is kept, bytes.
pub(crate) const MAX_CONTENT: usize = MOST;

/// Content of a body without its coding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Text(Bytes),
    /// Packed in another way than gzip.
    Packed,
    /// Too long, or damaged.
    Unknown,
}

impl Content {
    /// From a sample with up to [`MAX_CONTENT`] bytes of its body.
    pub(crate) fn of(sample: &Sample) -> Self {
        match sample.unpacked() {
            Some(Unpacked { content, is_whole: true }) => Self::Text(content),
            None if sample.is_all_kept() => Self::Packed,
            _ => Self::Unknown,
        }
    }
}
