//! Shared by commands that send in an open loop: [`MOST_UNDER_WAY`].

/// Most requests under way in an open loop: more than a server that keeps up ever has.
pub(crate) const MOST_UNDER_WAY: usize = 1_000;
