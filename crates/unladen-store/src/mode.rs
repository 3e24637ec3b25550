//! The principal type is [`Mode`]: how a store is opened.

/// How a store is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Allows keeping and removing runs. A missing store is created; one of an older version is upgraded.
    ReadWrite,
    /// Creates and changes nothing.
    ReadOnly,
}
