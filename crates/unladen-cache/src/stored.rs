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

/// The tags that `Cache-Tag`, `Surrogate-Key` and `xkey` name: of a response, or of a request to purge.
pub fn tags_of(fields: &Fields) -> Vec<Box<str>> {
    tags::of(fields).0
}

/// A response in memory. What changes with time is told by others: `Age`, `Date` (as it came), `Cache-Status`.
#[derive(Debug)]
pub struct Stored {
    /// The status code.
    pub status: u16,
    /// Without those that belong to one connection, `Age`, `Content-Length` (which the body tells), and what must not
    /// be stored.
    pub fields: Fields,
    /// A block of memory of its own, not a part of a larger one, which would be kept as a whole and not be counted.
    pub body: Bytes,
    /// How old it is, and how old it may become.
    pub freshness: Freshness,
    /// What it is asked about by.
    pub validators: Validators,
    /// What the validator said before it was fetched.
    pub version: Option<Box<[u8]>>,
    /// Of `Cache-Tag`, `Surrogate-Key`, `xkey` and `Cache-Groups`.
    pub tags: Vec<Box<str>>,
    /// It has more tags than are kept, or longer ones: a purge of any tag means it.
    pub has_more_tags: bool,
    /// Purges up to this one do not mean it.
    pub sequence: Sequence,
    /// The head's lines as HTTP/1 has them, each with its end: made once, for all who are answered with it. Those that
    /// a 304 has come first ([`Stored::lines_of_304`]).
    pub lines: Bytes,
    /// Bytes of them that a 304 has.
    of_304: usize,
    /// The body in other codings, made when they are asked for; none: not worth it.
    pub coded: [OnceLock<Option<Bytes>>; 3],
    /// Purged softly: it is to be asked about.
    pub is_soft_purged: AtomicBool,
    /// When it was known to be current the last time, in milliseconds as [`Time`](crate::Time) has them.
    pub vouched: AtomicI64,
}

/// What [`Fields`] keeps of each field besides its bytes, at most.
const SPAN: usize = 20;

impl Stored {
    /// With the parts that are derived from others. Groups belong to an origin: [`Stored::add_groups`].
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

    /// The same response with other fields and freshness, after a 304: the body is shared, also in other codings.
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

    /// Adds the groups that `Cache-Groups` names (RFC 9875), as tags that no other origin's groups meet, nor other
    /// tags: [`group_tag`]. To be called before it is stored.
    pub fn add_groups(&mut self, origin: &[u8]) {
        let groups = groups::of(&self.fields);
        let (tags, more) =
            tags::join(std::mem::take(&mut self.tags), groups.iter().map(|group| group_tag(origin, group)));
        self.tags = tags;
        self.has_more_tags |= more;
    }

    /// The lines of a head that says that the client's own copy is still good.
    pub fn lines_of_304(&self) -> &[u8] {
        self.lines.get(..self.of_304).unwrap_or_default()
    }

    /// Whether a purge of this tag means it.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.has_more_tags || self.tags.iter().any(|own| **own == *tag)
    }

    /// All memory that it takes, in bytes.
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

    /// What bytes take that are shared, with their count.
    pub(crate) fn coded_weight(bytes: &Bytes) -> usize {
        if bytes.is_empty() { 0 } else { heap(bytes.len()) + heap(24) }
    }

    /// The body in a coding, if it has been made.
    pub fn in_coding(&self, coding: Coding) -> Option<&Bytes> {
        self.coded.get(coding as usize)?.get()?.as_ref()
    }

    /// Whether it is known what the body is in a coding, or that it is not worth it.
    pub fn is_coded(&self, coding: Coding) -> bool {
        self.coded.get(coding as usize).is_some_and(|coded| coded.get().is_some())
    }

    /// Sets the body in a coding, once: whether this was the first time. For one that is in a store,
    /// [`Store::set_coded`](crate::Store::set_coded) does it, and counts it.
    pub fn set_coded(&self, coding: Coding, body: Option<Bytes>) -> bool {
        self.coded.get(coding as usize).is_some_and(|coded| coded.set(body).is_ok())
    }

    /// Whether it was purged softly, and is to be asked about.
    pub fn is_soft_purged(&self) -> bool {
        self.is_soft_purged.load(Ordering::Relaxed)
    }

    pub(crate) fn purge_softly(&self) {
        self.is_soft_purged.store(true, Ordering::Relaxed);
    }
}

/// The same fields in blocks of memory that have no more room than they need.
fn compact(fields: &Fields) -> Fields {
    let mut compact = Fields::default();
    fields.iter().for_each(|field| compact.push(field.name, field.value));
    // A copy's blocks are as long as what is in them.
    compact.clone()
}

/// Fields that a 304 has (RFC 9110, section 15.4.5): what the client keeps, it may update.
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

/// Lines, and how many bytes of them are those of a 304. The order of fields of different names means nothing (RFC
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
