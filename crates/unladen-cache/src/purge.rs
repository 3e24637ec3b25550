//! The principal type is [`Purge`]: what is to be forgotten.

/// What is to be forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purge {
    /// The key as [`write_key`](crate::write_key) has it, all variants.
    Key(Vec<u8>),
    /// All keys that begin so.
    Prefix(Vec<u8>),
    /// All with this tag.
    Tag(Box<str>),
    All,
}

/// A place in the order of purges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sequence(pub u64);
