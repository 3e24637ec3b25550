//! Syntax of field values (RFC 9110, section 5.6): lists, tokens, quoted strings, seconds.

use std::time::Duration;

use unladen_http1::Fields;
pub(crate) use unladen_http1::{members, trim};

/// The longest time: longer or unparsable large values count as this (RFC 9111, section 1.2.2). Sums of a few are far
/// from a [`Duration`]'s limit.
pub(crate) const LONGEST: Duration = Duration::from_secs(1 << 31);

/// The values of all lines of a field, by its name in any case.
pub(crate) fn lines<'a>(fields: &'a Fields, name: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value)
}

/// The bytes up to the separator, and those behind it, if it is there.
pub(crate) fn split_once(bytes: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(at, bytes) {
        Some(position) => (&bytes[..position], Some(&bytes[position + 1..])),
        None => (bytes, None),
    }
}

/// Whether it is a token (RFC 9110, section 5.6.2).
pub(crate) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

/// Only digits; a number beyond 64 bits is the greatest.
pub(crate) fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, byte| {
        byte.is_ascii_digit().then(|| number.saturating_mul(10).saturating_add(u64::from(byte - b'0')))
    })
}

/// `delta-seconds` (RFC 9111, section 1.2.2).
pub(crate) fn seconds(digits: &[u8]) -> Option<Duration> {
    number(digits).map(|number| Duration::from_secs(number).min(LONGEST))
}

/// A `q`-value in thousandths (RFC 9110, section 12.4.2), if valid.
fn quality(text: &[u8]) -> Option<u16> {
    let (whole, rest) = split_once(text, b'.');
    let rest = rest.unwrap_or_default();
    if rest.len() > 3 || !rest.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let thousandths = (0..3).fold(0, |sum, at| sum * 10 + rest.get(at).map_or(0, |byte| u16::from(byte - b'0')));
    match whole {
        b"0" => Some(thousandths),
        b"1" if thousandths == 0 => Some(1000),
        _ => None,
    }
}

/// The members of an `Accept-…` field with their weights in thousandths. An invalid weight counts as the lowest that is
/// not a refusal.
pub(crate) fn weighted(value: &[u8]) -> impl Iterator<Item = (&[u8], u16)> {
    members(value).map(|member| {
        let (name, parameters) = split_once(member, b';');
        let mut weight = 1000;
        for parameter in parameters.unwrap_or_default().split(|byte| *byte == b';') {
            if let [b'q' | b'Q', b'=', text @ ..] = trim(parameter) {
                weight = quality(text).unwrap_or(1);
            }
        }
        (trim(name), weight)
    })
}
