//! The principal type is [`Restored`]: the result of restoring another process's response.

/// The result of restoring another process's response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restored {
    Stored,
    /// Something newer was fetched meanwhile.
    Known,
    /// It was purged meanwhile, or its key's responses are no longer stored.
    Purged,
    /// There is no room, or it is too large.
    Full,
}
