//! [`precondition`]: whether the copy that a client has is still good (RFC 9110, section 13).

use unladen_http1::{Fields, Request};

use crate::Time;

/// What tells a version of a response from another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// As it is written: `"abc"`, `W/"abc"`.
    pub etag: Option<Box<[u8]>>,
    pub modified: Option<Time>,
    pub date: Option<Time>,
}

/// What a client's conditions come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There are none, or they hold.
    Proceed,
    /// 304
    NotModified,
    /// 412
    Failed,
}

impl Validators {
    pub fn of(fields: &Fields) -> Self {
        todo!()
    }
}

/// Evaluates `If-Match`, `If-None-Match`, `If-Modified-Since`, `If-Unmodified-Since` of a GET or HEAD against a stored response of
/// status 200 (RFC 9110, section 13.2.2). `received`: in place of a `Last-Modified` that is missing (RFC 9111, section 4.3.2).
pub fn precondition(request: &Request, validators: &Validators, received: Time) -> Verdict {
    todo!()
}

/// Whether `Range` is to be looked at: there is no `If-Range`, or it matches (RFC 9110, section 13.1.5).
pub fn if_range(request: &Request, validators: &Validators) -> bool {
    todo!()
}
