//! The principal type is [`Mode`]: what a store is opened for.

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To keep and remove runs too. A store that does not exist is made; one of an older version is brought up to date.
    ReadWrite,
    /// To look at what is kept. Nothing is made, and nothing changes.
    ReadOnly,
}
