//! The function is [`parse`]: a line of PHP-FPM's access log, with the `access.format` that its pool's file proposes:
//! `%R - %u %t "%m %r%Q%q" %s %f %{mili}d %{kilo}M %C%%`.
//!
//! `%C` is CPU time by the duration, in percent: of ticks of 10 ms, and without children, database and web server.

use crate::entry::{Entry, Method, PassedOver, address, decimal, number, path, word};
use crate::line::LogEntry;
use crate::time;

/// A line without brackets around its time.
pub(crate) fn parse(line: &[u8]) -> Result<Entry<'_>, PassedOver> {
    of(&parts(line).ok_or(PassedOver::NoEntry)?)
}

fn parts(line: &[u8]) -> Option<LogEntry<'_>> {
    let quote = memchr::memchr(b'"', line)?;
    let (before, rest) = (line[..quote].trim_ascii_end(), &line[quote + 1..]);
    let end = memchr::memchr(b'"', rest)?;
    let (status, after) = word(rest[end + 1..].trim_ascii());
    // `29/Nov/2026:12:46:10 +0000`
    let (before, time) = before.split_at(before.len().checked_sub(26)?);
    time::seconds(time)?;
    let status =
        number(status).and_then(|status| u16::try_from(status).ok()).filter(|status| (100..600).contains(status));
    Some(LogEntry { before, time, request: &rest[..end], status: Some(status?), after })
}

/// A line whose request has no version.
pub(crate) fn of<'a>(line: &LogEntry<'a>) -> Result<Entry<'a>, PassedOver> {
    let (method, target) = word(line.request);
    // After the status of an old client's `GET /` stands its size.
    if !line.after.is_empty() && !line.after.ends_with(b"%") || method.is_empty() || target.is_empty() {
        return Err(PassedOver::NoRequest);
    }
    let mut entry = Entry {
        time: time::seconds(line.time),
        method: Method::of(method),
        target: path(target).ok_or(PassedOver::NoPath)?,
        status: line.status,
        address: address(word(line.before).0),
        ..Entry::default()
    };
    let mut fields = line.after.rsplit(|byte| *byte == b' ');
    if let Some(percent) = fields.next().and_then(|field| field.strip_suffix(b"%")) {
        entry.memory = fields.next().and_then(number).map(|kilobytes| kilobytes << 10);
        // In milliseconds.
        let elapsed = fields.next().and_then(decimal).map(|milliseconds| milliseconds * 1e6);
        entry.elapsed_ns = elapsed.map(|elapsed| elapsed as u64);
        entry.cpu_ns = decimal(percent).zip(elapsed).map(|(percent, elapsed)| (percent / 100.0 * elapsed) as u64);
    }
    Ok(entry)
}
