//! The principal type is [`Arithmetic`].

use std::hint::black_box;

use crate::reference::mix::{GOLDEN, mix};

/// 8 KiB: fits into the first cache of every processor, beside other data.
const TABLE: usize = 1024;
/// One chain waits for its own results most of the time, and hardly notices another thread on its core. Four fill a
/// core about as well as ordinary programs do.
const CHAINS: usize = 4;
/// About a millisecond at 3 GHz.
const STEPS: u32 = 240_000;

/// Chains of multiplications with dependent table look-ups: no compiler can drop, reorder or vectorise steps.
#[derive(Debug)]
pub(crate) struct Arithmetic {
    table: Box<[u64; TABLE]>,
}

impl Arithmetic {
    pub(crate) fn new() -> Self {
        let mut table = Box::new([0; TABLE]);
        table.iter_mut().zip(0..).for_each(|(entry, number)| *entry = mix(number));
        Self { table }
    }

    /// Runs one piece; the result is always the same.
    pub(crate) fn run(&self) -> u64 {
        chains(black_box(&self.table), black_box(STEPS))
    }
}

#[inline(never)]
fn chains(table: &[u64; TABLE], steps: u32) -> u64 {
    let mut chains: [u64; CHAINS] = [1, 2, 3, 4];
    for _ in 0..steps {
        for chain in &mut chains {
            // The uppermost ten bits are an index.
            let entry = table[(*chain >> 54) as usize];
            *chain = (*chain ^ entry).wrapping_mul(GOLDEN);
            *chain ^= *chain >> 32;
        }
    }
    chains.into_iter().fold(0, |all, chain| all.rotate_left(16) ^ chain)
}

#[cfg(test)]
mod tests;
