//! [`storable`]: whether a response may be stored by a shared cache (RFC 9111, section 3).

use unladen_http1::{Request, Response};

use crate::{Freshness, Policy, Time};

/// Why a response is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoStore {
    /// Neither GET nor HEAD.
    Method,
    /// The request has `no-store`.
    RequestNoStore,
    /// A status whose meaning for caches is not known, with `must-understand`; or 206, 304, or one that is not final.
    Status,
    NoStore,
    Private,
    /// The request was authorized, and the response does not say that others may have it.
    Authorization,
    SetCookie,
    /// `Vary: *`
    VaryAll,
    /// It says neither how long it is fresh nor how to ask whether it still is.
    NoLifetime,
    /// The request had cookies, and the response says nothing of who may have it.
    Cookies,
    TooLarge,
}

/// Whether a response may be stored, and how fresh it is. `validated`: a validator tells whether it is current, so that it needs
/// neither a lifetime nor a way to ask.
pub fn storable(
    request: &Request,
    response: &Response,
    policy: &Policy,
    validated: bool,
    requested: Time,
    received: Time,
) -> Result<Freshness, NoStore> {
    todo!()
}

impl NoStore {
    /// Its name in `Cache-Status`, logs and metrics.
    pub fn as_str(self) -> &'static str {
        todo!()
    }
}
