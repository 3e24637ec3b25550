//! [`looks_like_postgres`]: recognises PostgreSQL.

use super::startup::is_startup;
use crate::wire::reader::ByteReader;

/// Longest message (`PQ_LARGE_MESSAGE_LIMIT`, 1 GiB less one).
pub(super) const MAX_MESSAGE: u32 = (1 << 30) - 1;

/// Whether a client may send this first, or after unseen bytes.
pub fn looks_like_postgres(first: &[u8]) -> bool {
    // Truncation is unknown here: the end of the last message may be missing.
    is_startup(first) || chains(first, usize::MAX) && is_telling(first)
}

/// Any bytes may look like a tag and a length: more is required without a seen beginning.
fn is_telling(first: &[u8]) -> bool {
    let mut reader = ByteReader(first);
    let (Some(tag), Some(length)) = (reader.u8(), reader.u32()) else { return false };
    let body = usize::try_from(length).ok().and_then(|length| reader.0.get(..length - 4));
    match (tag, body) {
        (b'Q', Some(body)) => memchr::memchr(0, body) == Some(body.len().wrapping_sub(1)),
        (b'Q', None) => memchr::memchr(0, reader.0).is_none(),
        (b'P', _) => ByteReader(reader.0).until_nul().is_some_and(|name| name.len() < 64 && !name.contains(&b'\n')),
        (b'B', Some(body)) => body.len() >= 8,
        (b'X' | b'S' | b'H', Some(body)) => body.is_empty(),
        (b'C' | b'D', Some([b'S' | b'P', .., 0])) => true,
        _ => false,
    }
}

/// Whether messages with tags follow each other from the first to the last seen byte.
pub(super) fn chains(payload: &[u8], total: usize) -> bool {
    let mut reader = ByteReader(payload);
    let mut seen = false;
    while let Some(tag) = reader.u8() {
        if !is_tag(tag) {
            return false;
        }
        let Some(length) = reader.u32() else { return seen };
        let body = (length as usize).saturating_sub(4);
        if !(4..=MAX_MESSAGE).contains(&length) {
            return false;
        }
        seen = true;
        if reader.take(body).is_none() {
            // It continues in unseen bytes, or in the next send.
            return total > payload.len() || is_telling(payload);
        }
    }
    seen
}

pub(super) fn is_tag(tag: u8) -> bool {
    matches!(tag, b'Q' | b'P' | b'B' | b'D' | b'E' | b'C' | b'S' | b'H' | b'F' | b'X' | b'd' | b'c' | b'f' | b'p')
}
