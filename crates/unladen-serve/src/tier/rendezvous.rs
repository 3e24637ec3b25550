//! [`highest_two`]: who owns a key, by rendezvous hashing (Thaler and Ravishankar, "Using name-based mappings to
//! increase hit rates", IEEE/ACM Transactions on Networking 6 (1), 1998).
//!
//! Each peer has a weight for each key, and the highest owns it. Nodes with the same list agree on the owner without
//! communication; a lost peer's keys alone move, to the second of each.

use xxhash_rust::xxh3::xxh3_64;

/// Hash of a key or a peer's address: the same on all machines and in all versions.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Places of the two peers with the highest weights for a key; `None` for an empty list. `peers`: places and hashes.
pub(crate) fn highest_two(key: u64, peers: impl Iterator<Item = (usize, u64)>) -> Option<(usize, Option<usize>)> {
    let mut first: Option<(u64, u64, usize)> = None;
    let mut second: Option<(u64, u64, usize)> = None;
    for (place, peer) in peers {
        // Ties go to the higher hash on all nodes.
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
