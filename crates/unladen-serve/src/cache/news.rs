//! The principal type is [`News`]: the one message to those who wait for an application's answer.

use std::sync::Arc;
use std::time::Duration;

use unladen_cache::{Freshness, NoStore, Nominated, Sequence, Stored, Validators};
use unladen_http1::{Fields, Response};
use unladen_observability::Reason;

#[derive(Clone, Debug)]
pub(crate) enum News {
    /// The stored response is still good, and is now this; with the hops if a peer said so.
    Stored(Arc<Stored>, Option<Hops>),
    Began(Arc<Began>),
    NotForAll,
    Failed(Reason, Option<Duration>),
}

/// `Cache-Status` of a peer's answer, and of the caches before it.
pub(crate) type Hops = Arc<[u8]>;

#[derive(Debug)]
pub(crate) struct Began {
    pub(crate) response: Response,
    pub(crate) kept: Result<Storable, NoStore>,
    pub(crate) is_of_peer: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Storable {
    pub(crate) nominated: Nominated,
    /// The request's values of the nominated fields.
    pub(crate) variant: Vec<u8>,
    pub(crate) freshness: Freshness,
    /// Head fields for all but the first asker.
    pub(crate) fields: Fields,
    pub(crate) sequence: Sequence,
    /// Whether it stays here after those who wait have it; a peer's answer does only if the page is hot.
    pub(crate) stays: bool,
}

pub(crate) fn hops(fields: &Fields) -> Hops {
    let lines = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"cache-status"));
    lines.map(|line| line.value).collect::<Vec<_>>().join(&b", "[..]).into()
}

impl Storable {
    pub(crate) fn validators(&self) -> Validators {
        Validators::of(&self.fields)
    }

    /// As a peer's answer: the peer's `Cache-Status` is not stored, as it concerns the first asker alone.
    pub(crate) fn of_peer(self, stays: bool) -> Self {
        let mut fields = self.fields;
        fields.retain(|field| !field.name.eq_ignore_ascii_case(b"cache-status"));
        Self { fields, stays, ..self }
    }

    pub(crate) fn without_body(&self, status: u16) -> Stored {
        Stored::new(status, self.fields.clone(), bytes::Bytes::new(), self.freshness, None, self.sequence)
    }
}
