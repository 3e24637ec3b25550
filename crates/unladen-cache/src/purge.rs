//! The principal type is [`Purge`]: what is to be forgotten.

use crate::Stored;

mod log;
mod sequence;

pub(crate) use log::{PurgeLog, Spared};
pub use sequence::Sequence;

/// What is to be forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purge {
    /// The key as [`write_key`](crate::write_key) has it, all variants.
    Key(Vec<u8>),
    /// All keys that begin so.
    Prefix(Vec<u8>),
    Tag(Box<str>),
    /// All that is stored.
    All,
}

impl Purge {
    /// Whether a response stored under this key is to be forgotten.
    pub fn means(&self, key: &[u8], stored: &Stored) -> bool {
        match self {
            Self::Key(meant) => key == meant.as_slice(),
            Self::Prefix(prefix) => key.starts_with(prefix),
            Self::Tag(tag) => stored.has_tag(tag),
            Self::All => true,
        }
    }

    /// Bytes that it takes to remember it.
    fn weight(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Key(bytes) | Self::Prefix(bytes) => bytes.len(),
                Self::Tag(tag) => tag.len(),
                Self::All => 0,
            }
    }
}

#[cfg(test)]
mod tests;
