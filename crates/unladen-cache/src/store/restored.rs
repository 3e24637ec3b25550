//! The principal type is [`Restored`]: what came of a response of another process.

/// What came of a response of another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restored {
    Stored,
    /// Something was fetched meanwhile that says more.
    Known,
    /// It was purged meanwhile, or responses for its key are not stored any more.
    Purged,
    /// There is no room left, or it is too large.
    Full,
}
