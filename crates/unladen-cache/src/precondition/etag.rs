//! Entity tags (RFC 9110, section 8.8.3): lists, and comparison.

use crate::text::trim;

/// The tags of a line, as written. Unquoted text up to a comma is a tag, too: some applications write such, and since
/// it only equals itself, it does no harm.
pub(super) fn tags(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = line;
    std::iter::from_fn(move || {
        while let [b' ' | b'\t' | b',', after @ ..] = rest {
            rest = after;
        }
        if rest.is_empty() {
            return None;
        }
        let weak = if rest.starts_with(b"W/") { 2 } else { 0 };
        // A comma in quotes is part of the tag; so are quotes that do not end.
        let quoted = match &rest[weak..] {
            [b'"', opaque @ ..] => memchr::memchr(b'"', opaque).map_or(0, |end| weak + 1 + end + 1),
            _ => 0,
        };
        let end = memchr::memchr(b',', &rest[quoted..]).map_or(rest.len(), |comma| quoted + comma);
        let (tag, after) = rest.split_at(end);
        rest = after;
        Some(trim(tag))
    })
}

/// Whether two tags are the same except for weakness.
pub(super) fn is_weak_match(one: &[u8], other: &[u8]) -> bool {
    opaque(one) == opaque(other)
}

pub(super) fn is_strong_match(one: &[u8], other: &[u8]) -> bool {
    one == other && one.starts_with(b"\"")
}

fn opaque(tag: &[u8]) -> &[u8] {
    tag.strip_prefix(b"W/").unwrap_or(tag)
}
