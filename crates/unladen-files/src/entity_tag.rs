//! [`entity_tag`]: the entity tag of a file.

use unladen_cache::{Coding, Time};

use crate::open_file::Meta;

/// `"TIME-LENGTH"`: modification time in nanoseconds and length; with the coding, whose bytes differ. As with nginx and
/// Apache, a change that keeps both goes unnoticed.
///
/// It is weak while the file may still change without another modification time (RFC 9110, section 8.8.1), as with
/// Apache for files of the last second.
pub(crate) fn entity_tag(meta: &Meta, coding: Option<Coding>, now: Time) -> String {
    let weak = if meta.is_settling(now) { "W/" } else { "" };
    let (seconds, nanoseconds) = meta.modified;
    let time = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    let (dash, coding) = coding.map_or(("", ""), |coding| ("-", coding.as_str()));
    format!("{weak}\"{time:x}-{:x}{dash}{coding}\"", meta.length)
}

/// The tag of other bytes with the same meaning (RFC 9110, section 8.8.1).
pub(crate) fn weak(tag: String) -> String {
    if tag.starts_with("W/") { tag } else { format!("W/{tag}") }
}
