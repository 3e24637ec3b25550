//! [`reuse`]: whether a stored response answers a request without asking (RFC 9111, section 4; RFC 5861).

use crate::{Freshness, RequestControl, Time};

/// What is to be done with a stored response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// It answers.
    Fresh,
    /// It is stale, and answers since the request says so (`max-stale`).
    MaxStale,
    /// It is stale, and answers while it is asked for anew (`stale-while-revalidate`).
    WhileRevalidate,
    /// The application is asked whether it is still good.
    Validate(WhyValidate),
}

/// Why a stored response is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyValidate {
    /// It is too old.
    Stale,
    /// It says `no-cache`.
    NoCache,
    /// The request says `no-cache`, `max-age` or `min-fresh`.
    Request,
}

pub fn reuse(control: &RequestControl, freshness: &Freshness, now: Time) -> Reuse {
    todo!()
}

/// Whether it may answer although the application could not be asked, or failed (`stale-if-error`).
pub fn may_serve_on_error(control: &RequestControl, freshness: &Freshness, now: Time) -> bool {
    todo!()
}
