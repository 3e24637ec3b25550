//! Lines of the system's log. The principal function is [`message`].
//!
//! Source: RFC 3164, section 4.1 (what the C library's syslog(3) writes), RFC 5424, section 6; for
//! /run/systemd/journal/socket systemd's "Native Journal Protocol".

#[cfg(test)]
mod tests;

use super::reader::printable;

/// Bytes kept of a message.
const MAX_MESSAGE: usize = 512;

/// Whether a line with its priority begins here.
pub fn looks_like_syslog(payload: &[u8]) -> bool {
    priority(payload).is_some()
}

/// The text of a line, which includes the program's name, without time and host; of anything else its beginning. Cut,
/// and without control characters.
pub fn message(payload: &[u8]) -> String {
    printable(text(payload).unwrap_or_else(|| payload.trim_ascii()), MAX_MESSAGE)
}

/// Of a line with its priority, or the journal's fields.
fn text(payload: &[u8]) -> Option<&[u8]> {
    let Some((_, rest)) = priority(payload) else { return journal(payload) };
    let text = after_time(rest).trim_ascii();
    Some(text.strip_suffix(b"\0").unwrap_or(text))
}

/// `<165>`: up to 191, without leading zeros.
fn priority(payload: &[u8]) -> Option<(u8, &[u8])> {
    let rest = payload.strip_prefix(b"<")?;
    let end = rest.iter().take(4).position(|byte| *byte == b'>')?;
    let digits = rest.get(..end)?;
    if digits.is_empty() || digits.len() > 1 && digits.first() == Some(&b'0') {
        return None;
    }
    let mut number = 0_u16;
    for digit in digits {
        number = number * 10 + u16::from(digit.is_ascii_digit().then(|| digit - b'0')?);
    }
    Some((u8::try_from(number).ok().filter(|number| *number <= 191)?, rest.get(end + 1..)?))
}

/// Skips `Oct 11 22:14:15 `, or RFC 5424's head up to the host.
fn after_time(rest: &[u8]) -> &[u8] {
    if let Some([_, _, _, b' ', day, digit, b' ', time @ ..]) = rest.get(..7).map(|_| rest)
        && (day.is_ascii_digit() || *day == b' ')
        && digit.is_ascii_digit()
        && let Some([h, _, b':', _, _, b':', _, s]) = time.get(..8)
        && h.is_ascii_digit()
        && s.is_ascii_digit()
    {
        return time.get(8..).unwrap_or_default();
    }
    // VERSION TIMESTAMP HOSTNAME APP-NAME PROCID MSGID STRUCTURED-DATA MSG
    if let Some(head) = rest.strip_prefix(b"1 ") {
        let mut words = head.splitn(3, |byte| *byte == b' ');
        let (time, _host, text) = (words.next(), words.next(), words.next());
        let is_time = |time: &[u8]| time == b"-" || time.len() >= 20 && time.get(10) == Some(&b'T');
        if let (Some(time), Some(text)) = (time, text)
            && is_time(time)
        {
            return text;
        }
    }
    rest
}

/// `PRIORITY=6\nMESSAGE=text\n`
fn journal(payload: &[u8]) -> Option<&[u8]> {
    payload.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"MESSAGE="))
}
