//! Random numbers for identifiers: cheap, and different in each process.

use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};

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
