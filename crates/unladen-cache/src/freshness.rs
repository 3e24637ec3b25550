//! The principal type is [`Freshness`]: how old a response is, and how old it may become (RFC 9111, section 4.2).

use std::time::Duration;

use unladen_http1::Fields;

use crate::{Policy, Time};

/// How old a response is, and how old it may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freshness {
    /// Its age when it was received: `corrected_initial_age`.
    pub initial_age: Duration,
    pub received: Time,
    pub lifetime: Duration,
    /// It was guessed from `Last-Modified`.
    pub heuristic: bool,
    /// It is never reused without asking.
    pub no_cache: bool,
    /// Once stale, it is never reused without asking.
    pub must_revalidate: bool,
    pub stale_while_revalidate: Duration,
    pub stale_if_error: Duration,
}

impl Freshness {
    pub fn of(status: u16, fields: &Fields, requested: Time, received: Time, policy: &Policy) -> Self {
        todo!()
    }

    pub fn age(&self, now: Time) -> Duration {
        todo!()
    }

    pub fn is_fresh(&self, now: Time) -> bool {
        todo!()
    }
}
