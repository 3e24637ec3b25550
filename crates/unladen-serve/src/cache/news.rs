//! The principal type is [`News`]: what those are told who wait for an answer of the application.

use std::sync::Arc;
use std::time::Duration;

use unladen_cache::{Freshness, NoStore, Nominated, Sequence, Stored, Validators};
use unladen_http1::{Fields, Response};
use unladen_observability::Reason;

/// What those who wait are told, once.
#[derive(Clone, Debug)]
pub(crate) enum News {
    /// What was stored is still good, and this is what it is from now on.
    Stored(Arc<Stored>),
    /// An answer began; its body is to be read.
    Began(Arc<Began>),
    /// An answer that is for another alone.
    NotForAll,
    /// There is none.
    Failed(Reason, Option<Duration>),
}

/// An answer that began.
#[derive(Debug)]
pub(crate) struct Began {
    pub(crate) response: Response,
    /// Whether it is kept, and for whom it is then.
    pub(crate) kept: Result<Storable, NoStore>,
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
}

// === impl Storable ===

impl Storable {
    pub(crate) fn validators(&self) -> Validators {
        Validators::of(&self.fields)
    }

    /// For an answer that has none.
    pub(crate) fn without_body(&self, status: u16) -> Stored {
        Stored::new(status, self.fields.clone(), bytes::Bytes::new(), self.freshness, None, self.sequence)
    }
}
