//! The principal type is [`News`]: what those are told who wait for an answer of the application.

use std::sync::Arc;
use std::time::Duration;

use unladen_cache::{Freshness, NoStore, Nominated, Sequence, Stored, Validators};
use unladen_http1::{Fields, Response};
use unladen_observability::Reason;

/// What those who wait are told, once.
#[derive(Clone, Debug)]
pub(crate) enum News {
    /// What was stored is still good, and this is what it is from now on; if a peer says so, with its hops.
    Stored(Arc<Stored>, Option<Hops>),
    /// An answer began; its body is to be read.
    Began(Arc<Began>),
    /// An answer that is for another alone.
    NotForAll,
    /// There is none.
    Failed(Reason, Option<Duration>),
}

/// What a peer's cache says of its answer, and those before it: `Cache-Status`.
pub(crate) type Hops = Arc<[u8]>;

/// An answer that began.
#[derive(Debug)]
pub(crate) struct Began {
    pub(crate) response: Response,
    /// Whether it is kept, and for whom it is then.
    pub(crate) kept: Result<Storable, NoStore>,
    /// A peer gave it, and not the application.
    pub(crate) is_of_peer: bool,
}

/// An answer that is being kept.
#[derive(Clone, Debug)]
pub(crate) struct Storable {
    pub(crate) nominated: Nominated,
    /// What its request said in those.
    pub(crate) variant: Vec<u8>,
    pub(crate) freshness: Freshness,
    /// What others than who asked first get of the head.
    pub(crate) fields: Fields,
    pub(crate) sequence: Sequence,
    /// Whether it stays here once those who wait have it: of a peer's answer, only if the page is hot.
    pub(crate) stays: bool,
}

/// Of an answer's fields.
pub(crate) fn hops(fields: &Fields) -> Hops {
    let lines = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"cache-status"));
    lines.map(|line| line.value).collect::<Vec<_>>().join(&b", "[..]).into()
}

impl Storable {
    pub(crate) fn validators(&self) -> Validators {
        Validators::of(&self.fields)
    }

    /// Of a peer's answer: it stays here or not, and what the peer's cache did is said to whoever has asked first.
    pub(crate) fn of_peer(self, stays: bool) -> Self {
        let mut fields = self.fields;
        fields.retain(|field| !field.name.eq_ignore_ascii_case(b"cache-status"));
        Self { fields, stays, ..self }
    }

    /// For an answer that has none.
    pub(crate) fn without_body(&self, status: u16) -> Stored {
        Stored::new(status, self.fields.clone(), bytes::Bytes::new(), self.freshness, None, self.sequence)
    }
}
