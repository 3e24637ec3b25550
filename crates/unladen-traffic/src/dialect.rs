//! Which format a line is in: [`combined`] or [`other`].

use crate::entry::{Entry, Method, PassedOver, path};
use crate::line::LogEntry;
use crate::{fpm_line, json_line, time};

/// Parses a line in the combined or common format.
pub(crate) fn combined<'a>(line: &LogEntry<'a>) -> Result<Entry<'a>, PassedOver> {
    let Some(request) = line.request_line() else { return fpm_line::of(line) };
    let mut entry = Entry {
        time: time::seconds(line.time),
        method: Method::of(request.method),
        target: path(request.target).ok_or(PassedOver::NoPath)?,
        status: line.status,
        ..Entry::default()
    };
    entry.set_client(line.before);
    entry.set_fields(line.after);
    Ok(entry)
}

/// Parses a line that is in none of those: JSON, or PHP-FPM's. `scratch` holds what is not in the line as it stands.
pub(crate) fn other<'a>(line: &'a [u8], scratch: &'a mut Vec<u8>) -> Result<Entry<'a>, PassedOver> {
    let line = line.trim_ascii();
    if line.starts_with(b"{") { json_line::parse(line, scratch) } else { fpm_line::parse(line) }
}
