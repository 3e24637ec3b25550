//! The principal type is [`Stored`]: a response in memory. [`tags_of`] and [`group_tag`]: the tags by which it can be
//! purged; [`Sequence`]: its place among the purges.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use bytes::Bytes;
use unladen_http1::{Field, Fields};

use crate::{Coding, Freshness, Validators};

/// The tags of `Cache-Tag`, `Surrogate-Key` and `xkey` of a response or a purge request.
pub fn tags_of(fields: &Fields) -> Vec<Box<str>> {
    tags_in(fields).0
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
        let (tags, has_more_tags) = tags_in(&fields);
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
        let groups = groups_of(&self.fields);
        let (tags, more) = join(std::mem::take(&mut self.tags), groups.iter().map(|group| group_tag(origin, group)));
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

/// A place in the order of purges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sequence(pub u64);

/// A resource's place in the table, besides its heap memory, with the spare room of tables that grow by doubling.
pub(crate) const PLACE: usize = 96;

/// A tag's place in the index: a tree of 24-byte entries, whose nodes are at least half full.
const TAG: usize = 64;

/// A heap block of this many bytes, with malloc's head.
pub(crate) const fn heap(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    let whole = (bytes + 8).next_multiple_of(16);
    if whole < 32 { 32 } else { whole }
}

/// An `Arc` of this many bytes.
pub(crate) const fn shared(bytes: usize) -> usize {
    heap(bytes + 16)
}

/// Most tags of one response …
pub(crate) const MOST: usize = 1024;
/// … and their length in bytes.
pub(crate) const LONGEST: usize = 1024;

/// Tags of `Cache-Tag` (separated by commas), `Surrogate-Key` (by white space) and `xkey` (by either); and whether
/// there are more than are kept.
pub(crate) fn tags_in(fields: &Fields) -> (Vec<Box<str>>, bool) {
    let tags = fields.iter().flat_map(|Field { name, value, .. }| {
        let (comma, space) = match name.len() {
            9 if name.eq_ignore_ascii_case(b"cache-tag") => (true, false),
            13 if name.eq_ignore_ascii_case(b"surrogate-key") => (false, true),
            4 if name.eq_ignore_ascii_case(b"xkey") => (true, true),
            // Other fields have no tags.
            _ => (false, false),
        };
        let value = if comma || space { value } else { b"" };
        value
            .split(move |byte| comma && *byte == b',' || space && matches!(byte, b' ' | b'\t'))
            .map(<[u8]>::trim_ascii)
            .filter(|tag| !tag.is_empty())
            // A purge of it sends the same bytes, and they are read in the same way.
            .map(|tag| String::from_utf8_lossy(tag).into_owned().into_boxed_str())
    });
    join(Vec::new(), tags)
}

/// Adds tags, each once; returns whether there are more than are kept.
pub(crate) fn join(tags: Vec<Box<str>>, more: impl Iterator<Item = Box<str>>) -> (Vec<Box<str>>, bool) {
    let mut tags = tags;
    let mut has_more = false;
    for tag in more {
        if tag.len() > LONGEST {
            has_more = true;
        } else if let Err(place) = tags.binary_search(&tag) {
            if tags.len() == MOST {
                has_more = true;
            } else {
                tags.insert(place, tag);
            }
        }
    }
    tags.shrink_to_fit();
    (tags, has_more)
}

/// The tag of an origin's group (RFC 9875). It has line feeds, which no field can have.
pub fn group_tag(origin: &[u8], group: &str) -> Box<str> {
    format!("group\n{}\n{group}", String::from_utf8_lossy(origin)).into()
}

/// The groups of `Cache-Groups`, a list of strings (RFC 9651, section 4.2). An invalid field counts as missing.
pub(crate) fn groups_of(fields: &Fields) -> Vec<String> {
    let mut joined = Vec::new();
    for field in fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"cache-groups")) {
        if !joined.is_empty() {
            joined.push(b',');
        }
        joined.extend_from_slice(field.value);
    }
    strings(&joined).unwrap_or_default()
}

fn strings(list: &[u8]) -> Option<Vec<String>> {
    let mut strings = Vec::new();
    let mut rest = list.trim_ascii();
    while !rest.is_empty() {
        let (string, after) = string(rest)?;
        strings.push(string);
        rest = parameters(after)?.trim_ascii_start();
        match rest.split_first() {
            None => break,
            Some((b',', after)) => rest = after.trim_ascii_start(),
            Some(_) => return None,
        }
        if rest.is_empty() {
            return None;
        }
    }
    Some(strings)
}

/// A string in quotes, and the rest.
fn string(text: &[u8]) -> Option<(String, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut string = String::new();
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((string, rest)),
            b'\\' => {
                let (escaped @ (b'"' | b'\\'), after) = rest.split_first()? else { return None };
                string.push(char::from(*escaped));
                rest = after;
            }
            b' '..=b'~' => string.push(char::from(*byte)),
            _ => return None,
        }
    }
}

/// Skips parameters, which mean nothing here.
fn parameters(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    while let Some(after) = rest.strip_prefix(b";") {
        let after = after.trim_ascii_start();
        let end =
            |text: &[u8]| text.iter().position(|byte| matches!(byte, b';' | b',' | b' ' | b'=')).unwrap_or(text.len());
        let (key, after) = after.split_at(end(after));
        if key.is_empty() {
            return None;
        }
        rest = match after.strip_prefix(b"=") {
            None => after,
            Some(value) if value.starts_with(b"\"") => string(value)?.1,
            Some(value) => value.split_at(end(value)).1,
        };
    }
    Some(rest)
}

#[cfg(test)]
mod tests;
