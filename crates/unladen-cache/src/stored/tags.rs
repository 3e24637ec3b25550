//! [`of`]: a response's tags, by which it can be purged.

use unladen_http1::{Field, Fields};

/// Most tags of one response …
pub(super) const MOST: usize = 1024;
/// … and their length in bytes.
pub(super) const LONGEST: usize = 1024;

/// Tags of `Cache-Tag` (separated by commas), `Surrogate-Key` (by white space) and `xkey` (by either); and whether
/// there are more than are kept.
pub(super) fn of(fields: &Fields) -> (Vec<Box<str>>, bool) {
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
pub(super) fn join(tags: Vec<Box<str>>, more: impl Iterator<Item = Box<str>>) -> (Vec<Box<str>>, bool) {
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
