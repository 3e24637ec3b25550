//! The principal type is [`Fingerprint`]: what tells one answer to a request from another.

use crate::digest::Digest;

/// What tells one answer to a request from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The status.
    pub status: u16,
    /// The length of the body in bytes.
    pub length: u64,
    /// The body's digest.
    pub digest: Digest,
}

/// How an answer compares with the first one to the same request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same status and the same body; also the first answer itself.
    Same,
    /// Another status (of those expected), or another body.
    Changed,
}

// === impl Fingerprint ===

impl Fingerprint {
    /// Compares an answer with the first one.
    pub fn verdict(&self, first: &Self) -> Verdict {
        if self == first { Verdict::Same } else { Verdict::Changed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_difference_is_a_change() {
        let first = Fingerprint { status: 200, length: 3, digest: Digest(7) };
        assert_eq!(first.verdict(&first), Verdict::Same);
        assert_eq!(Fingerprint { status: 204, ..first }.verdict(&first), Verdict::Changed);
        assert_eq!(Fingerprint { length: 4, ..first }.verdict(&first), Verdict::Changed);
        assert_eq!(Fingerprint { digest: Digest(8), ..first }.verdict(&first), Verdict::Changed);
    }
}
