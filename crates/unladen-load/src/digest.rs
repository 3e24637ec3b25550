//! The principal type is [`Digest`]: what tells two bodies apart.
//!
//! ```
//! use unladen_load::Digest;
//!
//! assert_ne!(Digest::of(b"page"), Digest::of(b"Page"));
//! ```

use std::fmt;

use xxhash_rust::xxh3::xxh3_64;

/// XXH3 hash of a body (64 bits, seed 0): quick, and safe except against deliberate forgery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest(pub u64);

// === impl Digest ===

impl Digest {
    /// Digest of a whole body.
    pub fn of(body: &[u8]) -> Self {
        Self(xxh3_64(body))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
