//! The principal type is [`Sequence`]: a place in the order of purges.

/// A place in the order of purges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sequence(pub u64);
