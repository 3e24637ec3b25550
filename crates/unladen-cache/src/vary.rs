//! The principal type is [`Nominated`]: the request fields that a response depends on (RFC 9111, section 4.1).

use unladen_http1::{Fields, Request};

use crate::Policy;

/// Names of request fields, lower case, sorted, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nominated(pub Vec<Box<[u8]>>);

impl Nominated {
    /// Of `Vary`; none: `*`.
    pub fn of(fields: &Fields) -> Option<Self> {
        todo!()
    }

    /// Those of both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        todo!()
    }

    /// What a request says in them, normalised so that what means the same is the same: appended to `out`; nothing, if none is
    /// nominated.
    pub fn write_variant(&self, request: &Request, policy: &Policy, out: &mut Vec<u8>) {
        todo!()
    }
}
