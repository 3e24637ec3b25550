//! The principal type is [`Nominated`]: the request fields that a response depends on (RFC 9111, section 4.1), whose
//! values are compared in a canonical form.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use unladen_http1::{Fields, Request};

use crate::text::{is_token, lines, members, weighted};
use crate::{Accepted, Policy};

/// Names of request fields, lower case, sorted, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nominated(pub Vec<Box<[u8]>>);

/// A longer variant is replaced by its digest.
const LONGEST_VARIANT: usize = 1024;

impl Nominated {
    /// Reads all lines of `Vary`; `None` for `*` or an invalid name, whose meaning is unknown.
    pub fn of(fields: &Fields) -> Option<Self> {
        let mut names = Vec::new();
        for name in lines(fields, b"vary").flat_map(members) {
            if name == b"*" || !is_token(name) {
                return None;
            }
            names.push(name.to_ascii_lowercase().into_boxed_slice());
        }
        names.sort_unstable();
        names.dedup();
        Some(Self(names))
    }

    /// The names of both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut names = [&*self.0, &*other.0].concat();
        names.sort_unstable();
        names.dedup();
        Self(names)
    }

    /// Appends a request's values of these fields, normalised so that equal meanings are equal; nothing if none is
    /// nominated.
    ///
    /// Two requests that differ in meaning have two variants, whatever bytes they hold: names and values carry their
    /// lengths. A variant of more than 1 KiB is replaced by a digest of 128 bits, under a key that this process draws,
    /// so that nobody can search for collisions; it means nothing to another process.
    ///
    /// - `Accept-Encoding`: the accepted codings, without their order.
    /// - `Accept-Language`: the application's language that matches, if they are configured; else regardless of case.
    /// - `Cookie`: the cookies that tell users apart, by name; without any, as if there were no such field.
    /// - Others: their lines joined, without white space around commas. A missing field differs from an empty one.
    pub fn write_variant(&self, request: &Request, policy: &Policy, out: &mut Vec<u8>) {
        let start = out.len();
        for name in &self.0 {
            write_sized(out, |out| out.extend_from_slice(name));
            let there = out.len();
            out.push(1);
            let mut is_there = true;
            write_sized(out, |out| is_there = write(name, &request.fields, policy, out));
            if !is_there {
                out.truncate(there);
                out.push(0);
            }
        }
        if out.len() - start > LONGEST_VARIANT {
            let digest = digest(&out[start..]);
            out.truncate(start);
            // No name has this length.
            out.extend_from_slice(&[0xff; 4]);
            out.extend_from_slice(&digest);
        }
    }
}

/// Writes with a length prefix.
fn write_sized(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out);
    // A head is far shorter than 4 GiB.
    let length = u32::try_from(out.len() - at - 4).unwrap_or(u32::MAX - 1);
    out[at..at + 4].copy_from_slice(&length.to_le_bytes());
}

/// Browsers send no more. A longer value is used as it is: comparison with each of the application's languages takes
/// long, and leaving out a part would mix up what the application distinguishes.
const LONGEST_LANGUAGES: usize = 1024;

/// Appends a field's value; false if the field is missing.
pub(crate) fn write(name: &[u8], fields: &Fields, policy: &Policy, out: &mut Vec<u8>) -> bool {
    if name == b"cookie" {
        return policy.write_cookies(fields, out);
    }
    let mut all = lines(fields, name);
    let Some(first) = all.next() else { return false };
    match name {
        b"accept-encoding" => write_codings(&joined(first, all), out),
        b"accept-language" if !policy.languages.is_empty() => {
            let value = joined(first, all);
            match value.len() {
                ..=LONGEST_LANGUAGES => {
                    let language = pick(&value, &policy.languages);
                    out.extend_from_slice(language.unwrap_or_default().as_bytes());
                }
                _ => write_list(&value, out),
            }
        }
        _ => {
            let start = out.len();
            write_list(first, out);
            for line in all {
                out.push(b',');
                write_list(line, out);
            }
            if name == b"accept-language" {
                out[start..].make_ascii_lowercase();
            }
        }
    }
    true
}

impl Policy {
    /// Makes a request name only the language that [`Nominated`](crate::Nominated) takes it to want: an application
    /// that chose in its own way would have one language stored as another.
    pub fn set_language(&self, fields: &mut Fields) {
        let mut all = lines(fields, b"accept-language");
        let Some(first) = all.next() else { return };
        let value = joined(first, all);
        if self.languages.is_empty() || value.len() > LONGEST_LANGUAGES {
            return;
        }
        let picked = pick(&value, &self.languages);
        drop(value);
        fields.retain(|field| !field.name.eq_ignore_ascii_case(b"accept-language"));
        if let Some(picked) = picked {
            fields.push(b"accept-language", picked.as_bytes());
        }
    }
}

/// The only line, which is the usual case, or several joined.
fn joined<'a>(first: &'a [u8], others: impl Iterator<Item = &'a [u8]>) -> Cow<'a, [u8]> {
    others.fold(Cow::Borrowed(first), |mut joined, line| {
        joined.to_mut().push(b',');
        joined.to_mut().extend_from_slice(line);
        joined
    })
}

/// A keyed digest: two of 64 bits under two keys.
pub(crate) fn digest(bytes: &[u8]) -> [u8; 16] {
    static KEYS: LazyLock<[RandomState; 2]> = LazyLock::new(|| [RandomState::new(), RandomState::new()]);
    let mut digest = [0; 16];
    for (half, key) in digest.chunks_exact_mut(8).zip(&*KEYS) {
        half.copy_from_slice(&key.hash_one(bytes).to_le_bytes());
    }
    digest
}

/// Removes white space around commas, except in quotes.
fn write_list(line: &[u8], out: &mut Vec<u8>) {
    let mut is_quoted = false;
    let mut is_escaped = false;
    // Up to here, the output does not end in white space that a comma would remove.
    let mut kept = out.len();
    let mut is_at_start = true;
    for &byte in line {
        let is_space = matches!(byte, b' ' | b'\t');
        if is_quoted {
            is_quoted = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
        } else if byte == b',' {
            out.truncate(kept);
            is_at_start = true;
        } else if is_space && is_at_start {
            continue;
        } else {
            is_quoted = byte == b'"';
        }
        out.push(byte);
        if byte != b',' || is_quoted {
            is_at_start = false;
        }
        if is_quoted || !is_space {
            kept = out.len();
        }
    }
    out.truncate(kept);
}

/// Codings that are served from here, as bits; and the names of other accepted ones, since the application may use
/// them.
fn write_codings(value: &[u8], out: &mut Vec<u8>) {
    let accepted = Accepted::of(Some(value));
    let bits = [accepted.brotli, accepted.zstd, accepted.gzip, accepted.identity];
    out.push(bits.iter().fold(0, |byte, is_taken| byte << 1 | u8::from(*is_taken)));
    let is_known = |name: &[u8]| {
        [&b"br"[..], b"zstd", b"gzip", b"x-gzip", b"identity", b"*"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    };
    for (name, _) in weighted(value).filter(|(name, weight)| *weight > 0 && !is_known(name)) {
        out.extend(name.iter().map(u8::to_ascii_lowercase));
        out.push(b',');
    }
}

/// The client's preferred language of those of an application (RFC 4647, section 3.4; RFC 9110, section 12.5.4). `None`
/// if the client names none of them. Of equal ones, the first that is offered.
///
/// `de-CH` means `de-CH`, else `de`; `de` means `de`, else the first variant, such as `de-AT`; `*` means any that is
/// not refused.
fn pick<'a>(header: &[u8], offered: &'a [String]) -> Option<&'a str> {
    let mut best: Option<(u16, &'a str)> = None;
    for tag in offered {
        let weight = weight(header, tag.as_bytes());
        if weight > best.map_or(0, |(weight, _)| weight) {
            best = Some((weight, tag));
        }
    }
    best.map(|(_, tag)| tag)
}

/// A language's weight: the highest of the ranges that match it, unless it is itself refused; the weight of `*` only if
/// no other matches.
fn weight(header: &[u8], tag: &[u8]) -> u16 {
    let mut named = None;
    let mut any = 0;
    for (range, weight) in weighted(header) {
        let is_exact = range.eq_ignore_ascii_case(tag);
        if is_exact && weight == 0 {
            return 0;
        }
        if range == b"*" {
            any = weight;
        } else if is_exact || begins(range, tag) || begins(tag, range) {
            named = named.max(Some(weight));
        }
    }
    named.unwrap_or(any)
}

/// Whether a tag extends another.
fn begins(longer: &[u8], start: &[u8]) -> bool {
    longer.get(start.len()) == Some(&b'-') && longer[..start.len()].eq_ignore_ascii_case(start)
}

#[cfg(test)]
mod tests;
