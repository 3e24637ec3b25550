//! The principal type is [`Nominated`]: the request fields that a response depends on (RFC 9111, section 4.1).

mod normal;

use unladen_http1::{Fields, Request};

use crate::Policy;
use crate::text::{is_token, lines, members};

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
            write_sized(out, |out| is_there = normal::write(name, &request.fields, policy, out));
            if !is_there {
                out.truncate(there);
                out.push(0);
            }
        }
        if out.len() - start > LONGEST_VARIANT {
            let digest = normal::digest(&out[start..]);
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

#[cfg(test)]
mod tests;
