//! The principal type is [`Content`]: a body unpacked, as far as possible.

use bytes::Bytes;

use crate::sample::Sample;
use crate::unpacked::{MOST, Unpacked};

pub(crate) const MAX_CONTENT: usize = MOST;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    Text(Bytes),
    Packed,
    /// Too long, or damaged.
    Unknown,
}

impl Content {
    pub(crate) fn of(sample: &Sample) -> Self {
        match sample.unpacked() {
            Some(Unpacked { content, is_whole: true }) => Self::Text(content),
            None if sample.is_all_kept() => Self::Packed,
            _ => Self::Unknown,
        }
    }
}
