//! Random numbers for identifiers: cheap, and different in each process.

use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};

use super::hex;

thread_local! {
    // Two generators, since one has 64 bits of state: with 128-bit identifiers from one, some four thousand million
    // processes would be enough for two equal sequences. The seeds come from the operating system, by way of the
    // standard library's hash maps; fastrand's own would derive from time and thread.
    static RANDOM: RefCell<[fastrand::Rng; 2]> = RefCell::new([seeded(), seeded()]);
}

fn seeded() -> fastrand::Rng {
    fastrand::Rng::with_seed(RandomState::new().hash_one("unladen"))
}

/// 64 random bits. Not for secrets.
pub(super) fn bits() -> u64 {
    RANDOM.with_borrow_mut(|[first, _]| first.u64(..))
}

/// 128 random bits. Not for secrets.
pub(super) fn wide_bits() -> u128 {
    RANDOM.with_borrow_mut(|[first, second]| u128::from(first.u64(..)) << 64 | u128::from(second.u64(..)))
}

/// True with this probability; always from 1 on, never for 0 and less.
pub(super) fn chance(share: f64) -> bool {
    share >= 1.0 || (share > 0.0 && RANDOM.with_borrow_mut(|[first, _]| first.f64()) < share)
}

/// Appends a new identifier, 36 bytes: a UUID, version 4 (RFC 9562, section 5.4), as in Envoy's `X-Request-Id`.
pub fn request_id(into: &mut Vec<u8>) {
    const VERSION: u128 = 0x4 << 76;
    const VARIANT: u128 = 0x2 << 62;
    let bits = wide_bits() & !(0xF << 76 | 0x3 << 62) | VERSION | VARIANT;
    let bytes = bits.to_be_bytes();
    for (index, part) in [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..10], &bytes[10..]].into_iter().enumerate()
    {
        if index > 0 {
            into.push(b'-');
        }
        hex::write(part, into);
    }
}

#[cfg(test)]
mod tests;
