//! The principal function is [`command`]: commands to Redis.
//!
//! Source: "Redis serialization protocol specification" (RESP): commands are arrays of bulk strings.

const MAX_NAME: usize = 32;

/// The name of the command at the beginning, in capitals: `GET`.
pub fn command(first: &[u8]) -> Option<String> {
    let rest = first.strip_prefix(b"*")?;
    let (count, rest) = number(rest)?;
    let (length, rest) = number(rest.strip_prefix(b"$")?)?;
    let name = rest.get(..length)?;
    let named = (1..=MAX_NAME).contains(&length)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
    (count > 0 && named).then(|| String::from_utf8_lossy(name).to_ascii_uppercase())
}

/// Digits and the end of a line.
fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let end = text.iter().take(10).position(|byte| *byte == b'\r')?;
    let digits = std::str::from_utf8(text.get(..end)?).ok()?;
    let rest = text.get(end..)?.strip_prefix(b"\r\n")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?.map(|number| (number, rest))
}
