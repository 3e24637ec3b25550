//! The principal type is [`Statement`].

use std::hash::{DefaultHasher, Hash, Hasher};

/// SQL sent over a connection, once the message that executes it was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement<'a> {
    /// As sent, as far as it was seen. For an execution the prepared text; `EXECUTE name` (PostgreSQL) or `EXECUTE
    /// statement id` (MySQL) if that was not seen.
    pub text: &'a [u8],
    /// Hash of text and values. Comparable within one run of this program.
    pub identity: u64,
    /// Text or values were not all seen.
    pub truncated: bool,
    /// It was prepared, whether executed or not.
    pub prepared: bool,
    /// Parsed without execution, by a message of its own. Its execution will be a separate statement.
    pub parse_only: bool,
}

pub(super) fn identity(text: &[u8], values: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (text, values).hash(&mut hasher);
    hasher.finish()
}

/// Hash of values: their seen bytes and total length.
pub(super) fn values(bytes: &[u8], total: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (bytes, total).hash(&mut hasher);
    hasher.finish()
}
