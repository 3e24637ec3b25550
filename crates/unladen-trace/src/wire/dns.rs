//! The principal function is [`questions`]: DNS questions.
//!
//! Source: RFC 1035, section 4; section 5.1 for how names are written. Calls over systemd-resolved's socket use its
//! Varlink interface `io.systemd.Resolve`.

#[cfg(test)]
mod tests;

use serde_json::{Deserializer, Value};

use super::reader::ByteReader;

/// Questions read of one message; resolvers send one.
const MAX_QUESTIONS: u16 = 8;
/// RFC 1035 section 2.3.4.
const MAX_NAME: usize = 255;
/// Jumps in one name; each goes back, so this only bounds time.
const MAX_JUMPS: usize = 16;
const HEAD: usize = 12;

/// A DNS question.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Question {
    /// In lower case without the last dot; `.` is the root. Dots in labels are `\.`, unprintable bytes are `\DDD`.
    pub name: String,
    /// `A`, `AAAA`, `MX`; `TYPE65280` if it has no name here; `A+AAAA` over systemd-resolved's socket, which asks for
    /// both addresses at once.
    pub kind: String,
}

/// The questions of one send: a message over UDP, messages over TCP with length prefixes, or a call to
/// systemd-resolved. Empty for answers and anything else.
pub fn questions(payload: &[u8]) -> Vec<Question> {
    // An id may begin with a brace too.
    if payload.first() == Some(&b'{')
        && let Some(question) = resolved(payload)
    {
        return vec![question];
    }
    let over_tcp = over_tcp(payload);
    if over_tcp.is_empty() { message(payload).unwrap_or_default() } else { over_tcp }
}

/// Messages with length prefixes, RFC 1035 section 4.2.2.
fn over_tcp(payload: &[u8]) -> Vec<Question> {
    let mut reader = ByteReader(payload);
    let mut questions = Vec::new();
    while questions.len() < usize::from(MAX_QUESTIONS)
        && let Some(length) = reader.u16()
        && let Some(body) = reader.take(usize::from(length))
        && let Some(asked) = message(body)
    {
        questions.extend(asked);
    }
    // A UDP message whose id equals the remaining length makes no sense after it.
    if reader.0.is_empty() { questions } else { Vec::new() }
}

fn message(message: &[u8]) -> Option<Vec<Question>> {
    let mut reader = ByteReader(message);
    let (_id, flags, count) = (reader.u16()?, reader.u16()?, reader.u16()?);
    let answers = (reader.u16()?, reader.u16()?, reader.u16()?);
    // QR and opcode: a standard query. It has no answers, and no zones; EDNS is in the additional section.
    if flags >> 11 != 0 || count == 0 || count > MAX_QUESTIONS || answers.0 != 0 || answers.1 != 0 {
        return None;
    }
    let mut at = HEAD;
    let mut questions = Vec::new();
    for _ in 0..count {
        let (name, end) = name(message, at)?;
        let mut reader = ByteReader(message.get(end..)?);
        let (kind, class) = (reader.u16()?, reader.u16()?);
        // IN, with multicast DNS's bit; CH; ANY.
        if !matches!(class & 0x7fff, 1 | 3 | 255) {
            return None;
        }
        questions.push(Question { name, kind: kind_name(kind) });
        at = end + 4;
    }
    Some(questions)
}

fn name(message: &[u8], at: usize) -> Option<(String, usize)> {
    let mut name = String::new();
    let (mut at, mut end, mut length, mut jumps) = (at, None, 0, 0);
    loop {
        let head = usize::from(*message.get(at)?);
        match head >> 6 {
            0 if head == 0 => break,
            0 => {
                length += head + 1;
                if length >= MAX_NAME {
                    return None;
                }
                if !name.is_empty() {
                    name.push('.');
                }
                for byte in message.get(at + 1..at + 1 + head)? {
                    push_escaped(&mut name, *byte);
                }
                at += 1 + head;
            }
            3 => {
                let target = (head & 0x3f) << 8 | usize::from(*message.get(at + 1)?);
                jumps += 1;
                if target >= at || target < HEAD || jumps > MAX_JUMPS {
                    return None;
                }
                end.get_or_insert(at + 2);
                at = target;
            }
            _ => return None,
        }
    }
    if name.is_empty() {
        name.push('.');
    }
    Some((name, end.unwrap_or(at + 1)))
}

fn push_escaped(name: &mut String, byte: u8) {
    match byte {
        b'.' | b'\\' => name.extend(['\\', char::from(byte)]),
        0x21..=0x7e => name.push(char::from(byte.to_ascii_lowercase())),
        _ => name.push_str(&format!("\\{byte:03}")),
    }
}

/// Names of types: RFC 1035, 3596 (AAAA), 2782 (SRV), 9460 (HTTPS) and the registry of IANA.
fn kind_name(kind: u16) -> String {
    let name = match kind {
        1 => "A",
        2 => "NS",
        5 => "CNAME",
        6 => "SOA",
        12 => "PTR",
        13 => "HINFO",
        15 => "MX",
        16 => "TXT",
        28 => "AAAA",
        33 => "SRV",
        35 => "NAPTR",
        43 => "DS",
        44 => "SSHFP",
        46 => "RRSIG",
        48 => "DNSKEY",
        52 => "TLSA",
        64 => "SVCB",
        65 => "HTTPS",
        99 => "SPF",
        252 => "AXFR",
        255 => "ANY",
        257 => "CAA",
        other => return format!("TYPE{other}"),
    };
    name.to_owned()
}

/// `{"method":"io.systemd.Resolve.ResolveHostname","parameters":{"name":"example.org","family":2}}`
fn resolved(payload: &[u8]) -> Option<Question> {
    // A NUL follows.
    let call: Value = Deserializer::from_slice(payload).into_iter().next()?.ok()?;
    if call.get("method")? != "io.systemd.Resolve.ResolveHostname" {
        return None;
    }
    let given = call.pointer("/parameters/name")?.as_str()?;
    let mut name = String::new();
    for byte in given.trim_end_matches('.').bytes().take(MAX_NAME) {
        // Here a dot separates labels.
        if byte == b'.' { name.push('.') } else { push_escaped(&mut name, byte) }
    }
    // AF_INET, AF_INET6; both by default.
    let kind = match call.pointer("/parameters/family").and_then(Value::as_u64) {
        Some(2) => "A",
        Some(10) => "AAAA",
        _ => "A+AAAA",
    };
    Some(Question { name, kind: kind.to_owned() })
}
