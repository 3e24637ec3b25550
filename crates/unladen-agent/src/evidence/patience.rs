//! The principal type is [`Patience`]: how long an answer is waited for.

use std::fmt;
use std::time::Instant;

/// How long an answer is waited for. Hosts asked together share one, so that several silent ones take no longer than
/// one.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    pub deadline: Instant,
    /// Stop waiting when this returns false.
    pub is_wanted: &'a dyn Fn() -> bool,
}

impl fmt::Debug for Patience<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patience").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}
