//! The principal type is [`Stored`]: a response in memory.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use bytes::Bytes;
use unladen_http1::Fields;

use crate::store::weight::{TAG, heap, shared};
use crate::{Coding, Freshness, Sequence, Validators};

mod groups;
mod tags;

pub use groups::group_tag;

/// The tags of `Cache-Tag`, `Surrogate-Key` and `xkey` of a response or a purge request.
pub fn tags_of(fields: &Fields) -> Vec<Box<str>> {
    tags::of(fields).0
}

/// A response in memory. Fields that depend on time are added when it is served: `Age`, `Date` (as received),
/// `Cache-Status`.
#[derive(Debug)]
pub struct Stored {
    pub status: u16,
    /// Without those of one connection, `Age`, `Content-Length` (which follows from the body), and what must not be
    /// stored.
    pub fields: Fields,
    /// In a block of its own: a part of a larger block would keep all of it, uncounted.
    pub body: Bytes,
    pub freshness: Freshness,
    /// What validation requests use.
    pub validators: Validators,
    /// The validator's answer before it was fetched.
    pub version: Option<Box<[u8]>>,
    /// From `Cache-Tag`, `Surrogate-Key`, `xkey` and `Cache-Groups`.
    pub tags: Vec<Box<str>>,
    /// It has too many or too long tags to keep: a purge of any tag covers it.
    pub has_more_tags: bool,
    /// Purges up to this one do not cover it.
    pub sequence: Sequence,
    /// The head's lines in HTTP/1 form, each with its end, made once. Those of a 304 come first
    /// ([`Stored::lines_of_304`]).
    pub lines: Bytes,
    of_304: usize,
    /// The body in other codings, made on demand; `None` if not worth it.
    pub coded: [OnceLock<Option<Bytes>>; 3],
    /// Purged softly: it is to be validated.
    pub is_soft_purged: AtomicBool,
    /// When it was last known to be current, in the milliseconds of [`Time`](crate::Time).
    pub vouched: AtomicI64,
}

/// Most memory that [`Fields`] takes for each field besides its bytes.
const SPAN: usize = 20;

impl Stored {
    /// Derives the other parts. Groups belong to an origin: [`Stored::add_groups`].
    pub fn new(
        status: u16,
        fields: Fields,
        body: Bytes,
        freshness: Freshness,
        version: Option<Box<[u8]>>,
        sequence: Sequence,
    ) -> Self {
        let fields = compact(&fields);
        let (tags, has_more_tags) = tags::of(&fields);
        let (lines, of_304) = lines(&fields);
        Self {
            status,
            body,
            freshness,
            validators: Validators::of(&fields),
            version,
            tags,
            has_more_tags,
            sequence,
            lines,
            of_304,
            fields,
            coded: Default::default(),
            is_soft_purged: AtomicBool::new(false),
            vouched: AtomicI64::new(freshness.received.0),
        }
    }

    /// The same response with other fields and freshness, after a 304: the bodies in all codings are shared.
    #[must_use]
    pub fn freshened(
        &self,
        fields: Fields,
        freshness: Freshness,
        version: Option<Box<[u8]>>,
        sequence: Sequence,
    ) -> Self {
        let coded = self.coded.clone();
        Self { coded, ..Self::new(self.status, fields, self.body.clone(), freshness, version, sequence) }
    }

    /// Adds the groups of `Cache-Groups` (RFC 9875), as tags that no other origin's groups nor other tags equal:
    /// [`group_tag`]. To be called before it is stored.
    pub fn add_groups(&mut self, origin: &[u8]) {
        let groups = groups::of(&self.fields);
        let (tags, more) =
            tags::join(std::mem::take(&mut self.tags), groups.iter().map(|group| group_tag(origin, group)));
        self.tags = tags;
        self.has_more_tags |= more;
    }

    /// The head's lines of a 304.
    pub fn lines_of_304(&self) -> &[u8] {
        self.lines.get(..self.of_304).unwrap_or_default()
    }

    /// Whether a purge of this tag covers it.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.has_more_tags || self.tags.iter().any(|own| **own == *tag)
    }

    /// All its memory, in bytes.
    pub fn weight(&self) -> usize {
        let fields = self.fields.iter().map(|field| field.name.len() + field.value.len()).sum();
        let coded = self.coded.iter().filter_map(|coded| coded.get()?.as_ref()).map(Self::coded_weight);
        let tags = self.tags.iter().map(|tag| heap(tag.len()) + TAG);
        shared(size_of::<Self>())
            + heap(fields)
            + heap(self.fields.len() * SPAN)
            + Self::coded_weight(&self.body)
            + Self::coded_weight(&self.lines)
            + coded.sum::<usize>()
            + heap(self.tags.len() * size_of::<Box<str>>())
            + tags.sum::<usize>()
            + usize::from(self.has_more_tags) * TAG
            + self.version.as_ref().map_or(0, |version| heap(version.len()))
            + self.validators.etag.as_ref().map_or(0, |etag| heap(etag.len()))
    }

    /// The memory of shared bytes, with their counter.
    pub(crate) fn coded_weight(bytes: &Bytes) -> usize {
        if bytes.is_empty() { 0 } else { heap(bytes.len()) + heap(24) }
    }

    /// The body in a coding, if it has been made.
    pub fn in_coding(&self, coding: Coding) -> Option<&Bytes> {
        self.coded.get(coding as usize)?.get()?.as_ref()
    }

    /// Whether the body in a coding has been made, or found not worth it.
    pub fn is_coded(&self, coding: Coding) -> bool {
        self.coded.get(coding as usize).is_some_and(|coded| coded.get().is_some())
    }

    /// Sets the body in a coding, once; returns whether this was the first time. Within a store, use
    /// [`Store::set_coded`](crate::Store::set_coded), which counts it.
    pub fn set_coded(&self, coding: Coding, body: Option<Bytes>) -> bool {
        self.coded.get(coding as usize).is_some_and(|coded| coded.set(body).is_ok())
    }

    /// Whether it was purged softly, and has to be validated.
    pub fn is_soft_purged(&self) -> bool {
        self.is_soft_purged.load(Ordering::Relaxed)
    }

    pub(crate) fn purge_softly(&self) {
        self.is_soft_purged.store(true, Ordering::Relaxed);
    }
}

/// The same fields in blocks without spare room.
fn compact(fields: &Fields) -> Fields {
    let mut compact = Fields::default();
    fields.iter().for_each(|field| compact.push(field.name, field.value));
    // A clone's blocks are as long as their content.
    compact.clone()
}

/// Fields of a 304 (RFC 9110, section 15.4.5): the client may update what it has stored.
pub fn is_of_304(name: &[u8]) -> bool {
    [
        &b"cache-control"[..],
        b"content-location",
        b"date",
        b"etag",
        b"expires",
        b"last-modified",
        b"vary",
        b"cdn-cache-control",
        b"via",
    ]
    .iter()
    .any(|known| name.eq_ignore_ascii_case(known))
}

/// The lines, and the number of bytes of those of a 304. The order of fields of different names means nothing (RFC
/// 9110, section 5.3).
fn lines(fields: &Fields) -> (Bytes, usize) {
    let length = fields.iter().map(|field| field.name.len() + field.value.len() + 4).sum();
    let mut lines = Vec::with_capacity(length);
    let mut of_304 = 0;
    for is_first in [true, false] {
        for field in fields.iter().filter(|field| is_of_304(field.name) == is_first) {
            for part in [field.name, b": ", field.value, b"\r\n"] {
                lines.extend_from_slice(part);
            }
        }
        if is_first {
            of_304 = lines.len();
        }
    }
    (lines.into(), of_304)
}

#[cfg(test)]
mod tests;
