//! The principal type is [`Stored`]: a response in memory.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use unladen_http1::Fields;

use crate::{Coding, Freshness, Sequence, Validators};

/// A response in memory. What changes with time is told by others: `Age`, `Date` (as it came), `Cache-Status`.
#[derive(Debug)]
pub struct Stored {
    pub status: u16,
    /// Without those that belong to one connection, `Age`, `Content-Length` (which the body tells), and what must not be stored.
    pub fields: Fields,
    pub body: Bytes,
    pub freshness: Freshness,
    pub validators: Validators,
    /// What the validator said before it was fetched.
    pub version: Option<Box<[u8]>>,
    /// Of `Cache-Tag`, `Surrogate-Key`, `xkey` and `Cache-Groups`.
    pub tags: Vec<Box<str>>,
    /// Purges up to this one do not mean it.
    pub sequence: Sequence,
    /// The head's lines as HTTP/1 has them, each with its end: made once, for all who are answered with it.
    pub lines: Bytes,
    /// The body in other codings, made when they are asked for; none: not worth it.
    pub coded: [OnceLock<Option<Bytes>>; 3],
    /// Purged softly: it is to be asked about.
    pub is_soft_purged: AtomicBool,
}

impl Stored {
    /// With the parts that are derived from others.
    pub fn new(
        status: u16,
        fields: Fields,
        body: Bytes,
        freshness: Freshness,
        version: Option<Box<[u8]>>,
        sequence: Sequence,
    ) -> Self {
        todo!()
    }

    /// The same response with other fields and freshness, after a 304: the body is shared.
    #[must_use]
    pub fn freshened(
        &self,
        fields: Fields,
        freshness: Freshness,
        version: Option<Box<[u8]>>,
        sequence: Sequence,
    ) -> Self {
        todo!()
    }

    /// All memory that it takes, in bytes.
    pub fn weight(&self) -> usize {
        todo!()
    }

    /// The body in a coding, if it has been made.
    pub fn in_coding(&self, coding: Coding) -> Option<&Bytes> {
        todo!()
    }
}
