//! [`highest_two`]: who owns a key, by rendezvous hashing (Thaler and Ravishankar, "Using name-based mappings to increase
//! hit rates", IEEE/ACM Transactions on Networking 6 (1), 1998).
//!
//! Each peer has a weight for each key, and the highest owns it. All nodes that have the same list find the same owner
//! without a word between them; a peer that is gone moves its own keys alone, to those who were second.

use xxhash_rust::xxh3::xxh3_64;

/// Of a key, or of a peer's address: the same on all machines and in all versions.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The peer with the highest weight for a key, and the next, as their places in the list; none: the list is empty.
/// `peers`: their hashes.
pub(crate) fn highest_two(key: u64, peers: impl Iterator<Item = (usize, u64)>) -> Option<(usize, Option<usize>)> {
    let mut first: Option<(u64, u64, usize)> = None;
    let mut second: Option<(u64, u64, usize)> = None;
    for (place, peer) in peers {
        // Of two of the same weight, the one with the higher hash is meant by all.
        let weight = (mix(key ^ peer), peer, place);
        if first.is_none_or(|first| weight > first) {
            second = first.replace(weight);
        } else if second.is_none_or(|second| weight > second) {
            second = Some(weight);
        }
    }
    first.map(|(.., place)| (place, second.map(|(.., place)| place)))
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014):
/// each bit of the result depends on all of `x`.
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests;
