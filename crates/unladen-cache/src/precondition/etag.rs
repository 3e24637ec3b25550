//! Entity tags (RFC 9110, section 8.8.3): lists of them, and how they compare.

use crate::text::trim;

/// The tags of a line, as they are written. What has no quotes is a tag up to the comma: some applications write such,
/// and as it only ever equals itself, it does no harm.
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
        // a comma in quotes is part of the tag; quotes that do not end are part of it, too
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

/// Whether two tags are the same but for their weakness.
pub(super) fn is_weak_match(one: &[u8], other: &[u8]) -> bool {
    opaque(one) == opaque(other)
}

/// Whether two tags are the same and neither is weak.
pub(super) fn is_strong_match(one: &[u8], other: &[u8]) -> bool {
    one == other && one.starts_with(b"\"")
}

fn opaque(tag: &[u8]) -> &[u8] {
    tag.strip_prefix(b"W/").unwrap_or(tag)
}
