//! The principal type is [`Nominated`]: the request fields that a response depends on (RFC 9111, section 4.1).

mod normal;

use unladen_http1::{Fields, Request};

use crate::Policy;
use crate::text::{is_token, lines, members};

/// Names of request fields, lower case, sorted, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nominated(pub Vec<Box<[u8]>>);

/// A longer variant is told by its digest.
const LONGEST_VARIANT: usize = 1024;

impl Nominated {
    /// Of `Vary`, all lines of it; none: `*`, or something that is no name, so that nobody knows what is meant.
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

    /// Those of both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut names = [&*self.0, &*other.0].concat();
        names.sort_unstable();
        names.dedup();
        Self(names)
    }

    /// What a request says in them, normalised so that what means the same is the same: appended to `out`; nothing, if
    /// none is nominated.
    ///
    /// Two requests that differ in what they mean have two variants, whatever bytes they hold: names and values carry
    /// their lengths. What would be longer than 1 KiB is a digest of 128 bits instead, under a key that this process
    /// draws, so that nobody can look for two that meet; it means nothing to another process.
    ///
    /// - `Accept-Encoding`: which codings are taken, in whatever order.
    /// - `Accept-Language`: the one of the application's languages that fits, if they are configured; else without
    ///   regard to case.
    /// - `Cookie`: the cookies that tell apart, by name; if there are none, it is as if there were no such field.
    /// - Others: their lines joined, without white space around commas. A field that is not there is not an empty one.
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
            // no name is as long as this says
            out.extend_from_slice(&[0xff; 4]);
            out.extend_from_slice(&digest);
        }
    }
}

/// What is written, behind its length.
fn write_sized(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out);
    // a head is far shorter than 4 GiB
    let length = u32::try_from(out.len() - at - 4).unwrap_or(u32::MAX - 1);
    out[at..at + 4].copy_from_slice(&length.to_le_bytes());
}

#[cfg(test)]
mod tests;
