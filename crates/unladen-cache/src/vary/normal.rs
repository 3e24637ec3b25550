//! Canonical forms of request field values.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use unladen_http1::Fields;

use crate::text::{lines, weighted};
use crate::{Accepted, Policy, language};

/// Browsers send no more. A longer value is used as it is: comparison with each of the application's languages takes
/// long, and leaving out a part would mix up what the application distinguishes.
const LONGEST_LANGUAGES: usize = 1024;

/// Appends a field's value; false if the field is missing.
pub(super) fn write(name: &[u8], fields: &Fields, policy: &Policy, out: &mut Vec<u8>) -> bool {
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
                    let language = language::pick(&value, &policy.languages);
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
        let picked = language::pick(&value, &self.languages);
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
pub(super) fn digest(bytes: &[u8]) -> [u8; 16] {
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
