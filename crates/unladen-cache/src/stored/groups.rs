//! [`group_tag`]: the groups of `Cache-Groups` as tags (RFC 9875).

use unladen_http1::Fields;

/// The tag of an origin's group. It has line feeds, which no field can have.
pub fn group_tag(origin: &[u8], group: &str) -> Box<str> {
    format!("group\n{}\n{group}", String::from_utf8_lossy(origin)).into()
}

/// The groups of `Cache-Groups`, a list of strings (RFC 9651, section 4.2). An invalid field counts as missing.
pub(super) fn of(fields: &Fields) -> Vec<String> {
    let mut joined = Vec::new();
    for field in fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"cache-groups")) {
        if !joined.is_empty() {
            joined.push(b',');
        }
        joined.extend_from_slice(field.value);
    }
    strings(&joined).unwrap_or_default()
}

fn strings(list: &[u8]) -> Option<Vec<String>> {
    let mut strings = Vec::new();
    let mut rest = list.trim_ascii();
    while !rest.is_empty() {
        let (string, after) = string(rest)?;
        strings.push(string);
        rest = parameters(after)?.trim_ascii_start();
        match rest.split_first() {
            None => break,
            Some((b',', after)) => rest = after.trim_ascii_start(),
            Some(_) => return None,
        }
        if rest.is_empty() {
            return None;
        }
    }
    Some(strings)
}

/// A string in quotes, and the rest.
fn string(text: &[u8]) -> Option<(String, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut string = String::new();
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((string, rest)),
            b'\\' => {
                let (escaped @ (b'"' | b'\\'), after) = rest.split_first()? else { return None };
                string.push(char::from(*escaped));
                rest = after;
            }
            b' '..=b'~' => string.push(char::from(*byte)),
            _ => return None,
        }
    }
}

/// Skips parameters, which mean nothing here.
fn parameters(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    while let Some(after) = rest.strip_prefix(b";") {
        let after = after.trim_ascii_start();
        let end =
            |text: &[u8]| text.iter().position(|byte| matches!(byte, b';' | b',' | b' ' | b'=')).unwrap_or(text.len());
        let (key, after) = after.split_at(end(after));
        if key.is_empty() {
            return None;
        }
        rest = match after.strip_prefix(b"=") {
            None => after,
            Some(value) if value.starts_with(b"\"") => string(value)?.1,
            Some(value) => value.split_at(end(value)).1,
        };
    }
    Some(rest)
}
