//! A store's responses as bytes, for another process: the principal type is [`SnapshotEntry`].
//!
//! A snapshot is a [`SnapshotHeader`], then frames. Each frame has a [`FrameHead`] with the length and checksum of its
//! payload. An [`ENTRY`] frame holds a response, and one [`END`] frame has their number, so that a cut between two
//! frames is seen. All numbers are little-endian.
//!
//! The checksums (XXH3) find torn or decayed data, but no malice: readers of a file have to control who can write it.
//!
//! ```
//! use unladen_cache::{FRAME_LENGTH, FrameHead, SnapshotEntry, Store, StoreSettings, write_end};
//!
//! let store = Store::new(StoreSettings { memory: 1 << 20, largest: 1 << 16, variants: 4 });
//! let mut bytes = Vec::new();
//! let mut count = 0;
//! for resource in store.survey().iter().filter_map(|resource| resource.upgrade()) {
//!     for (said, stored) in resource.variants() {
//!         count += u64::from(SnapshotEntry::write(&resource, said, stored, &mut bytes));
//!     }
//! }
//! write_end(count, &mut bytes);
//! let (head, payload) = bytes.split_first_chunk::<FRAME_LENGTH>().unwrap();
//! assert_eq!(FrameHead::read(head).check(payload), Ok(()));
//! ```

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use unladen_http1::Fields;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::text::{LONGEST, is_token};
use crate::{Freshness, Nominated, Resource, Sequence, Stored, Time};

/// The head of a snapshot's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHead {
    /// [`ENTRY`], [`END`], or one of a protocol that carries snapshots, from 16 on.
    pub kind: u32,
    pub length: u32,
    checksum: u64,
}

/// Bytes of a [`FrameHead`].
pub const FRAME_LENGTH: usize = 16;
/// The kind of a frame with a response.
pub const ENTRY: u32 = 1;
/// The kind of the last frame.
pub const END: u32 = 2;

impl FrameHead {
    /// The head of a payload.
    pub fn of(kind: u32, payload: &[u8]) -> Option<Self> {
        let length = u32::try_from(payload.len()).ok()?;
        Some(Self { kind, length, checksum: checksum(kind, length, payload) })
    }

    /// Reads a head.
    pub fn read(bytes: &[u8; FRAME_LENGTH]) -> Self {
        let (kind, length) = (u32::from_le_bytes(array(bytes, 0)), u32::from_le_bytes(array(bytes, 4)));
        Self { kind, length, checksum: u64::from_le_bytes(array(bytes, 8)) }
    }

    /// The head as bytes.
    pub fn to_bytes(self) -> [u8; FRAME_LENGTH] {
        let mut bytes = [0; FRAME_LENGTH];
        bytes[..4].copy_from_slice(&self.kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    /// Checks the payload.
    ///
    /// # Errors
    /// If its length or checksum differs.
    pub fn check(&self, payload: &[u8]) -> Result<(), SnapshotError> {
        if payload.len() != self.length as usize {
            return Err(SnapshotError::Short);
        }
        if checksum(self.kind, self.length, payload) != self.checksum {
            return Err(SnapshotError::Checksum);
        }
        Ok(())
    }
}

/// Appends the last frame, with the number of entries.
pub fn write_end(count: u64, out: &mut Vec<u8>) {
    let payload = count.to_le_bytes();
    if let Some(head) = FrameHead::of(END, &payload) {
        out.extend_from_slice(&head.to_bytes());
        out.extend_from_slice(&payload);
    }
}

/// The number of entries, by the last frame.
///
/// # Errors
/// If the payload has none.
pub fn read_end(payload: &[u8]) -> Result<u64, SnapshotError> {
    payload.try_into().map(u64::from_le_bytes).map_err(|_| SnapshotError::End)
}

/// Covers kind and length, too: they are its seed.
fn checksum(kind: u32, length: u32, payload: &[u8]) -> u64 {
    xxh3_64_with_seed(payload, u64::from(kind) << 32 | u64::from(length))
}

/// Identifies a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotHeader {
    /// Fingerprint of all rules of storage and keys: under others, responses mean something else.
    pub fingerprint: u128,
    pub written: Time,
    /// Nothing was served after `written`: it misses no purge.
    pub is_last: bool,
}

/// Bytes of a header.
pub const HEADER_LENGTH: usize = 48;

const MAGIC: [u8; 8] = *b"unladen\x1a";

impl SnapshotHeader {
    /// The header as bytes.
    pub fn to_bytes(&self) -> [u8; HEADER_LENGTH] {
        let mut bytes = [0; HEADER_LENGTH];
        let parts: [&[u8]; 5] = [
            &MAGIC,
            &FORMAT.to_le_bytes(),
            &u32::from(self.is_last).to_le_bytes(),
            &self.fingerprint.to_le_bytes(),
            &self.written.0.to_le_bytes(),
        ];
        for (to, from) in bytes.iter_mut().zip(parts.into_iter().flatten()) {
            *to = *from;
        }
        let checksum = xxh3_64(&bytes[..HEADER_LENGTH - 8]);
        bytes[HEADER_LENGTH - 8..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header.
    ///
    /// # Errors
    /// If it is none, of another version, or torn.
    pub fn read(bytes: &[u8; HEADER_LENGTH]) -> Result<Self, SnapshotError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(SnapshotError::NoSnapshot);
        }
        let (format, is_last) = (u32::from_le_bytes(array(bytes, 8)), u32::from_le_bytes(array(bytes, 12)));
        if format != FORMAT {
            return Err(SnapshotError::Format(format));
        }
        let checksum = u64::from_le_bytes(array(bytes, HEADER_LENGTH - 8));
        if xxh3_64(&bytes[..HEADER_LENGTH - 8]) != checksum || is_last > 1 {
            return Err(SnapshotError::Checksum);
        }
        let fingerprint = u128::from_le_bytes(array(bytes, 16));
        Ok(Self { fingerprint, written: Time(i64::from_le_bytes(array(bytes, 32))), is_last: is_last == 1 })
    }
}

/// Takes numbers and lengths from bytes, within their bounds.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], SnapshotError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(SnapshotError::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        self.take(N).map(|bytes| array(bytes, 0))
    }

    pub(super) fn u16(&mut self) -> Result<u16, SnapshotError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, SnapshotError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, SnapshotError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64, SnapshotError> {
        self.array().map(i64::from_le_bytes)
    }

    /// A number of items, each of which takes at least `least` of the remaining bytes.
    pub(super) fn count(&mut self, least: usize) -> Result<usize, SnapshotError> {
        let count = self.u32()? as usize;
        if count.checked_mul(least).is_none_or(|bytes| bytes > self.rest.len()) {
            return Err(SnapshotError::Short);
        }
        Ok(count)
    }

    /// Bytes with a length prefix.
    pub(super) fn sized(&mut self) -> Result<&'a [u8], SnapshotError> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    /// At most [`LONGEST`](crate::text::LONGEST): sums stay in range.
    pub(super) fn duration(&mut self) -> Result<Duration, SnapshotError> {
        let (seconds, nanos) = (self.u64()?, self.u32()?);
        let duration = Duration::from_secs(seconds).saturating_add(Duration::from_nanos(nanos.into()));
        if nanos >= 1_000_000_000 || duration > LONGEST {
            return Err(SnapshotError::Entry("duration"));
        }
        Ok(duration)
    }
}

/// Bytes from a position; zeros beyond the end.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    for (to, from) in array.iter_mut().zip(bytes.iter().skip(at)) {
        *to = *from;
    }
    array
}

pub(crate) fn write_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    // A response of 4 GiB does not get this far.
    out.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(bytes);
}

pub(crate) fn write_duration(out: &mut Vec<u8>, duration: Duration) {
    out.extend_from_slice(&duration.as_secs().to_le_bytes());
    out.extend_from_slice(&duration.subsec_nanos().to_le_bytes());
}

/// Why a snapshot is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    #[error("it is not a snapshot")]
    NoSnapshot,
    #[error("it has format {0}, but this version reads {expected}", expected = FORMAT)]
    Format(u32),
    #[error("a checksum is wrong: it was written only partly, or its disk is faulty")]
    Checksum,
    #[error("it ends early")]
    Short,
    /// There is data behind its end, or less before it than the end says.
    #[error("its end is not where it should be")]
    End,
    #[error("it has a frame of unknown kind {0}")]
    Kind(u32),
    #[error("a frame has {0} bytes, more than any stored response")]
    Long(u64),
    /// No stored response can look like this.
    #[error("a response in it has a wrong {0}")]
    Entry(&'static str),
}

/// The format's version. To be raised when the format changes; and when storing becomes stricter, so that this program
/// does not serve what its predecessors let in.
const FORMAT: u32 = 1;

/// A stored response with its key.
#[derive(Debug)]
pub struct SnapshotEntry {
    pub key: Vec<u8>,
    /// The fields that distinguish its variants.
    pub nominated: Nominated,
    /// The request's values of these fields.
    pub variant: Vec<u8>,
    /// The response, without bodies in other codings. Its sequence is 0: the reader sets the one from which purges
    /// count.
    pub stored: Stored,
}

const FLAGS: [fn(&Freshness) -> bool; 6] = [
    |freshness| freshness.heuristic,
    |freshness| freshness.no_cache,
    |freshness| freshness.must_revalidate,
    |freshness| freshness.immutable,
    |freshness| freshness.shared_with_cookies,
    |freshness| freshness.shared_with_authorized,
];
const SOFT_PURGED: u16 = 1 << 6;
const MORE_TAGS: u16 = 1 << 7;
const VERSION: u16 = 1 << 8;

impl SnapshotEntry {
    /// Appends a variant as a frame; false if it is personal, or longer than 4 GiB, and not written.
    pub fn write(resource: &Resource, said: &[u8], stored: &Stored, out: &mut Vec<u8>) -> bool {
        if is_personal(&resource.nominated, said, stored) {
            return false;
        }
        let start = out.len();
        out.extend_from_slice(&[0; FRAME_LENGTH]);
        write_payload(resource.key_bytes(), &resource.nominated, said, stored, out);
        let head = out.get(start + FRAME_LENGTH..).and_then(|payload| FrameHead::of(ENTRY, payload));
        match (head, out.get_mut(start..start + FRAME_LENGTH)) {
            (Some(head), Some(place)) => place.copy_from_slice(&head.to_bytes()),
            _ => out.truncate(start),
        }
        out.len() > start
    }

    /// Reads a frame's payload. Content that cannot have been stored is refused, whatever its checksum.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(payload: &[u8]) -> Result<Self, SnapshotError> {
        let mut reader = Reader { rest: payload };
        let key = reader.sized()?;
        if !(key.starts_with(b"http://") || key.starts_with(b"https://")) {
            return Err(SnapshotError::Entry("key"));
        }
        let names: Vec<Box<[u8]>> =
            (0..reader.count(4)?).map(|_| reader.sized().map(Box::from)).collect::<Result<_, _>>()?;
        let is_name = |name: &[u8]| is_token(name) && !name.iter().any(u8::is_ascii_uppercase);
        if !names.is_sorted_by(|one, next| one < next) || !names.iter().all(|name| is_name(name)) {
            return Err(SnapshotError::Entry("Vary"));
        }
        let nominated = Nominated(names);
        let variant = reader.sized()?.to_vec();
        if !is_plain_variant(&nominated, &variant) {
            return Err(SnapshotError::Entry("variant"));
        }
        let (status, flags) = (reader.u16()?, reader.u16()?);
        if !(200..600).contains(&status) || matches!(status, 206 | 304) {
            return Err(SnapshotError::Entry("status"));
        }
        let freshness = freshness(&mut reader, flags)?;
        let vouched = reader.i64()?;
        let version = reader.sized()?;
        let tags = (0..reader.count(4)?).map(|_| tag(&mut reader)).collect::<Result<Vec<_>, _>>()?;
        if !tags.is_sorted_by(|one, next| one < next) {
            return Err(SnapshotError::Entry("order of tags"));
        }
        let fields = fields(&mut reader)?;
        // A block of its own.
        let body = Bytes::from(reader.rest.to_vec());
        let version = (flags & VERSION != 0).then(|| version.into());
        let mut stored = Stored::new(status, fields, body, freshness, version, Sequence(0));
        stored.tags = tags;
        stored.has_more_tags = flags & MORE_TAGS != 0;
        stored.vouched = vouched.into();
        if flags & SOFT_PURGED != 0 {
            stored.purge_softly();
        }
        Ok(Self { key: key.to_vec(), nominated, variant, stored })
    }

    /// Requires validation before use, unless a validator vouches for it: something may have been missed since.
    pub fn doubt(&mut self) {
        self.stored.vouched = 0.into();
        if self.stored.version.is_none() {
            self.stored.purge_softly();
        }
    }
}

fn write_payload(key: &[u8], nominated: &Nominated, said: &[u8], stored: &Stored, out: &mut Vec<u8>) {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes();
    write_sized(out, key);
    out.extend_from_slice(&count(nominated.0.len()));
    nominated.0.iter().for_each(|name| write_sized(out, name));
    write_sized(out, said);
    let freshness = &stored.freshness;
    let mut flags = FLAGS.iter().enumerate().fold(0, |flags, (bit, flag)| flags | u16::from(flag(freshness)) << bit);
    for (is_set, flag) in
        [(stored.is_soft_purged(), SOFT_PURGED), (stored.has_more_tags, MORE_TAGS), (stored.version.is_some(), VERSION)]
    {
        flags |= if is_set { flag } else { 0 };
    }
    out.extend_from_slice(&stored.status.to_le_bytes());
    out.extend_from_slice(&flags.to_le_bytes());
    out.extend_from_slice(&freshness.received.0.to_le_bytes());
    for duration in
        [freshness.initial_age, freshness.lifetime, freshness.stale_while_revalidate, freshness.stale_if_error]
    {
        write_duration(out, duration);
    }
    out.extend_from_slice(&stored.vouched.load(Ordering::Relaxed).to_le_bytes());
    write_sized(out, stored.version.as_deref().unwrap_or_default());
    out.extend_from_slice(&count(stored.tags.len()));
    stored.tags.iter().for_each(|tag| write_sized(out, tag.as_bytes()));
    out.extend_from_slice(&count(stored.fields.len()));
    for field in stored.fields.iter() {
        write_sized(out, field.name);
        write_sized(out, field.value);
    }
    out.extend_from_slice(&stored.body);
}

fn freshness(reader: &mut Reader<'_>, flags: u16) -> Result<Freshness, SnapshotError> {
    let is = |bit: u32| flags & (1 << bit) != 0;
    Ok(Freshness {
        received: Time(reader.i64()?),
        initial_age: reader.duration()?,
        lifetime: reader.duration()?,
        stale_while_revalidate: reader.duration()?,
        stale_if_error: reader.duration()?,
        heuristic: is(0),
        no_cache: is(1),
        must_revalidate: is(2),
        immutable: is(3),
        shared_with_cookies: is(4),
        shared_with_authorized: is(5),
    })
}

fn tag(reader: &mut Reader<'_>) -> Result<Box<str>, SnapshotError> {
    std::str::from_utf8(reader.sized()?).map(Box::from).map_err(|_| SnapshotError::Entry("tag"))
}

/// Refuses fields that could break a head apart.
fn fields(reader: &mut Reader<'_>) -> Result<Fields, SnapshotError> {
    let mut fields = Fields::default();
    for _ in 0..reader.count(8)? {
        let (name, value) = (reader.sized()?, reader.sized()?);
        let is_text = |byte: &u8| !matches!(byte, 0..=8 | 10..=31 | 127);
        if !is_token(name) || !value.iter().all(is_text) {
            return Err(SnapshotError::Entry("field"));
        }
        fields.push(name, value);
    }
    Ok(fields)
}

/// Whether a response depends on a secret or contains one: a variant for a request with cookies or credentials, or with
/// a field whose name suggests a secret; a response with `Set-Cookie`, which an option lets in; and a variant known by
/// its digest, which hides what it is, and means nothing to another process.
fn is_personal(nominated: &Nominated, said: &[u8], stored: &Stored) -> bool {
    stored.fields.iter().any(|field| field.name.eq_ignore_ascii_case(b"set-cookie"))
        || !is_plain_variant(nominated, said)
}

/// Whether a variant has just these fields, and no value in one that could hold a secret.
fn is_plain_variant(nominated: &Nominated, said: &[u8]) -> bool {
    let mut reader = Reader { rest: said };
    let is_plain = nominated.0.iter().all(|name| {
        // In the form of `Nominated::write_variant`.
        let is_same = reader.sized().is_ok_and(|said| *said == **name);
        let Ok(&[is_there]) = reader.take(1) else { return false };
        is_same && (is_there == 0 || (is_there == 1 && reader.sized().is_ok() && !may_be_secret(name)))
    });
    is_plain && reader.rest.is_empty()
}

/// Judges by the name of a request field, in lower case.
fn may_be_secret(name: &[u8]) -> bool {
    const WORDS: [&[u8]; 7] = [b"cookie", b"auth", b"token", b"session", b"secret", b"key", b"user"];
    let holds = |word: &[u8]| memchr::memmem::find(name, word).is_some();
    name != b"user-agent" && WORDS.into_iter().any(holds)
}

#[cfg(test)]
mod tests;
