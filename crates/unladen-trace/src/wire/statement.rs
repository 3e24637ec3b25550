//! The principal type is [`Statement`]: SQL that was sent.

use std::hash::{DefaultHasher, Hash, Hasher};

/// SQL that was sent over a connection, when the message that carries it out was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement<'a> {
    /// Its text as it was sent, as far as it was seen. For an execution the text that was prepared; `EXECUTE name`
    /// (PostgreSQL) or `EXECUTE statement id` (MySQL) where that was not seen.
    pub text: &'a [u8],
    /// Stands for text and values together: the same for the same. Compares within one run of this program.
    pub identity: u64,
    /// Text or values were not all seen.
    pub truncated: bool,
    /// It was prepared, and then executed or not.
    pub prepared: bool,
    /// It was parsed, and not executed with it: a message of its own. An execution of it will be a statement of its
    /// own.
    pub parse_only: bool,
}

/// What stands for text and values.
pub(super) fn identity(text: &[u8], values: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (text, values).hash(&mut hasher);
    hasher.finish()
}

/// What stands for values: their bytes, and how many there are in truth.
pub(super) fn values(bytes: &[u8], total: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (bytes, total).hash(&mut hasher);
    hasher.finish()
}
