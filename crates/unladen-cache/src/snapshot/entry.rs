//! The principal type is [`SnapshotEntry`]: a stored response with its key.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use unladen_http1::Fields;

use super::personal::{is_personal, is_plain_variant};
use super::reader::{Reader, write_duration, write_sized};
use super::{ENTRY, FRAME_LENGTH, FrameHead, SnapshotError};
use crate::text::is_token;
use crate::{Freshness, Nominated, Resource, Sequence, Stored, Time};

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
