//! The principal type is [`Fingerprint`]: what tells one answer to a request from another.

use crate::digest::Digest;

/// What tells one answer to a request from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    pub status: u16,
    /// Length of the body, bytes.
    pub length: u64,
    pub digest: Digest,
}

/// How an answer compares with the first one to the same request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same status and body; also the first answer itself.
    Same,
    /// Another status (of those expected), or another body.
    Changed,
}

impl Fingerprint {
    /// Compares an answer with the first one.
    pub fn verdict(&self, first: &Self) -> Verdict {
        if self == first { Verdict::Same } else { Verdict::Changed }
    }
}

#[cfg(test)]
mod tests;
