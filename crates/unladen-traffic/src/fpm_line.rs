//! The function is [`parse`]: a line of PHP-FPM's access log, with the `access.format` that its pool's file proposes:
//! `%R - %u %t "%m %r%Q%q" %s %f %{mili}d %{kilo}M %C%%`.
//!
//! `%C` is CPU time by the duration, in percent: of ticks of 10 ms, and without children, database and web server.

use crate::entry::{Entry, Method, PassedOver, address, nanoseconds, number, path, word};
use crate::time;

pub(crate) fn parse(line: &[u8]) -> Result<Entry<'_>, PassedOver> {
    parts(line).ok_or(PassedOver::NoEntry)?
}

fn parts(line: &[u8]) -> Option<Result<Entry<'_>, PassedOver>> {
    let quote = memchr::memchr(b'"', line)?;
    let (before, rest) = (line[..quote].trim_ascii_end(), &line[quote + 1..]);
    let end = memchr::memchr(b'"', rest)?;
    let (request, after) = (&rest[..end], rest[end + 1..].trim_ascii());
    let (status, after) = word(after);
    let status = number(status).filter(|status| (100..=599).contains(status))?;
    // `29/Nov/2026:12:46:10 +0000`, in brackets or not.
    let start = before.strip_suffix(b"]").unwrap_or(before).len().checked_sub(26)?;
    let time = time::seconds(before.get(start..)?)?;
    let (method, target) = word(request);
    let Some(target) = path(target) else { return Some(Err(PassedOver::NoPath)) };
    let mut entry = Entry {
        time: Some(time),
        method: Method::of(method),
        target,
        status: u16::try_from(status).ok(),
        address: address(word(before).0),
        ..Entry::default()
    };
    let mut fields = after.rsplit(|byte| *byte == b' ');
    if let Some(percent) = fields.next().and_then(|field| field.strip_suffix(b"%")) {
        entry.memory = fields.next().and_then(number).map(|kilobytes| kilobytes << 10);
        // Milliseconds have three digits after the point: a thousandth of nanoseconds of seconds.
        entry.elapsed_ns = fields.next().and_then(nanoseconds).map(|elapsed| elapsed / 1000);
        let share = nanoseconds(percent).map(|share| share as f64 / 1e11);
        entry.cpu_ns = share.zip(entry.elapsed_ns).map(|(share, elapsed)| (share * elapsed as f64) as u64);
    }
    Some(Ok(entry))
}
