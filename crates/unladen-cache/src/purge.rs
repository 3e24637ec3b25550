//! The principal type is [`Purge`]: which responses to forget.

use crate::Stored;

mod log;
mod sequence;

pub(crate) use log::{PurgeLog, Spared};
pub use sequence::Sequence;

/// Which responses to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purge {
    /// The key of [`write_key`](crate::write_key), with all variants.
    Key(Vec<u8>),
    Prefix(Vec<u8>),
    Tag(Box<str>),
    All,
}

impl Purge {
    /// Whether it covers a response stored under this key.
    pub fn means(&self, key: &[u8], stored: &Stored) -> bool {
        match self {
            Self::Key(meant) => key == meant.as_slice(),
            Self::Prefix(prefix) => key.starts_with(prefix),
            Self::Tag(tag) => stored.has_tag(tag),
            Self::All => true,
        }
    }

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
