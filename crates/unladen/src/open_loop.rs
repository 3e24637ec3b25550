//! What commands that send in an open loop have in common: [`MOST_UNDER_WAY`].

/// The most requests under way of an open loop: more than a server that keeps up ever has.
pub(crate) const MOST_UNDER_WAY: usize = 1_000;
