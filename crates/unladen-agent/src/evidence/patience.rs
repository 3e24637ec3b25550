//! The principal type is [`Patience`]: how long an answer is waited for.

use std::fmt;
use std::time::Instant;

/// How long an answer is waited for. Whoever is asked together with others shares theirs, so that several that do not
/// answer take no longer than one.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// Not beyond this.
    pub deadline: Instant,
    /// Not when this says that nobody wants it any more.
    pub is_wanted: &'a dyn Fn() -> bool,
}

impl fmt::Debug for Patience<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patience").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}
