//! [`entity_tag`]: what tells the contents of a file from those that it had.

use unladen_cache::{Coding, Time};

use crate::open_file::Meta;

/// `"TIME-LENGTH"`: when the contents changed last, in nanoseconds, and how long they are; with the coding, which is
/// other bytes. As nginx and Apache do, it does not see a change that leaves both as they were.
///
/// It is weak while the file may still change without another time of change (RFC 9110, section 8.8.1), as Apache does
/// for files of the last second.
pub(crate) fn entity_tag(meta: &Meta, coding: Option<Coding>, now: Time) -> String {
    let weak = if meta.is_settling(now) { "W/" } else { "" };
    let (seconds, nanoseconds) = meta.modified;
    let time = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    let (dash, coding) = coding.map_or(("", ""), |coding| ("-", coding.as_str()));
    format!("{weak}\"{time:x}-{:x}{dash}{coding}\"", meta.length)
}

/// The tag of other bytes that mean the same (RFC 9110, section 8.8.1).
pub(crate) fn weak(tag: String) -> String {
    if tag.starts_with("W/") { tag } else { format!("W/{tag}") }
}
