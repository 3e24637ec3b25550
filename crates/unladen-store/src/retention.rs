//! The principal type is [`Retention`]: which runs stay.

/// Which runs stay when a store is pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// This many of the newest runs of each verb and target.
    Newest(u32),
    /// Runs from this time on: ns since 1970 in UTC.
    Since(i64),
}
