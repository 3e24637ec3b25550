//! [`parse_head`]: the head of a CGI answer (RFC 3875, section 6).

use memchr::memchr;
use unladen_http1::{Fault as HeadFault, Fields, HeadLimits, Length, Name, Response};

use crate::record::Fault;

const OK: u16 = 200;
const FOUND: u16 = 302;

/// Parses the head of an answer to a request of this method at the start of `bytes`: returns its length, or `None` if
/// it is incomplete. Unless a length is returned, the response's content is meaningless. `ended`: the request is over,
/// so that the whole answer is here, and its length known.
///
/// Lines end with a line feed, with or without a carriage return (RFC 3875, section 6.2, leaves it to the system). All
/// else is as strict as in HTTP ([`Response::settle`]): folded lines, bare carriage returns, NUL, names that are no
/// tokens and two lengths are refused. So are two of `Status`, and `Transfer-Encoding`: framing is not the
/// application's here. Connection fields (`Connection`, `Keep-Alive`, `Upgrade` and their kin) are left out.
///
/// A `Location` without `Status` is a redirect for the client (302) even if it is a path: RFC 3875, section 6.2.2, has
/// the server answer with another of its own documents, which nginx and PHP-FPM do not support either.
///
/// # Errors
/// If it is invalid.
pub fn parse_head(
    response: &mut Response,
    bytes: &[u8],
    to_method: Option<&[u8]>,
    ended: bool,
    limits: &HeadLimits,
) -> Result<Option<usize>, Fault> {
    let fields = &mut response.fields;
    fields.clear();
    let mut status = None;
    let mut has_location = false;
    let (mut at, mut lines) = (0, 0);
    let length = loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(feed) = memchr(b'\n', rest) else {
            if bytes.len() >= limits.bytes {
                return Err(HeadFault::HeadTooLong.into());
            }
            return if ended { Err(Fault::NoHead) } else { Ok(None) };
        };
        at += feed + 1;
        if at > limits.bytes {
            return Err(HeadFault::HeadTooLong.into());
        }
        let line = rest.get(..feed).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break at;
        }
        lines += 1;
        if lines > limits.fields {
            return Err(HeadFault::TooManyFields.into());
        }
        let (name, value) = split(line).ok_or(HeadFault::Field)?;
        take(fields, name, value, &mut status, &mut has_location)?;
    };
    if lines == 0 {
        // One field is required (RFC 3875, section 6.2).
        return Err(Fault::NoHead);
    }
    response.status = status.unwrap_or(if has_location { FOUND } else { OK });
    response.settle(to_method.unwrap_or(b"GET"), false)?;
    if ended {
        let body = (bytes.len() - length) as u64;
        match response.length {
            Length::Chunked => response.length = Length::Exact(body),
            Length::Exact(said) if said > body => return Err(HeadFault::ContentLength.into()),
            _ => (),
        }
    }
    Ok(Some(length))
}

fn take(
    fields: &mut Fields,
    name: &[u8],
    value: &[u8],
    status: &mut Option<u16>,
    has_location: &mut bool,
) -> Result<(), HeadFault> {
    match Name::of(name) {
        Name::TransferEncoding => return Err(HeadFault::TransferEncoding),
        id if id.is_hop_by_hop() => return Ok(()),
        Name::Other if name.eq_ignore_ascii_case(b"status") => {
            if status.replace(status_of(value).ok_or(HeadFault::StartLine)?).is_some() {
                return Err(HeadFault::StartLine);
            }
            return Ok(());
        }
        Name::Other if name.eq_ignore_ascii_case(b"location") => {
            *has_location = true;
        }
        _ => (),
    }
    fields.push(name, value);
    Ok(())
}

/// Name and value; their bytes are checked later.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr(b':', line)?;
    let (name, value) = line.split_at_checked(colon)?;
    Some((name, value.get(1..)?.trim_ascii()))
}

/// `200 OK`, or the number alone. An application cannot use an interim status (RFC 3875, section 6.3.3).
fn status_of(value: &[u8]) -> Option<u16> {
    let (digits, rest) = value.split_at_checked(3)?;
    let is_clean = rest.iter().all(|byte| *byte == b'\t' || !byte.is_ascii_control());
    if !digits.iter().all(u8::is_ascii_digit) || !matches!(rest, [] | [b' ', ..]) || !is_clean {
        return None;
    }
    let status = digits.iter().fold(0, |number, digit| number * 10 + u16::from(digit - b'0'));
    (200..600).contains(&status).then_some(status)
}

#[cfg(test)]
mod tests;
