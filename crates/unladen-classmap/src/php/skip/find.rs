//! The first byte of a kind. The principal function is [`find`].

use wide::u8x16;

/// Bytes examined at once: what one instruction of any x86-64 or aarch64 compares.
const LANE: usize = 16;

/// The first offset from `at` that `wanted` marks.
///
/// The strings and stretches of code it skips are short, mostly below 50 bytes: calling memchr's functions, which are
/// faster on long ones, takes longer.
#[inline(always)]
pub(crate) fn find(source: &[u8], at: usize, wanted: impl Fn(u8x16) -> u8x16) -> Option<usize> {
    let mut rest = source.get(at..)?;
    while let Some((lane, behind)) = rest.split_first_chunk::<LANE>() {
        let hits = wanted(u8x16::new(*lane)).to_bitmask();
        if hits != 0 {
            return Some(source.len() - rest.len() + hits.trailing_zeros() as usize);
        }
        rest = behind;
    }
    let mut lane = [0; LANE];
    lane[..rest.len()].copy_from_slice(rest);
    let found = wanted(u8x16::new(lane)).to_bitmask().trailing_zeros() as usize;
    (found < rest.len()).then(|| source.len() - rest.len() + found)
}

#[inline(always)]
pub(crate) fn is(lane: u8x16, byte: u8) -> u8x16 {
    lane.simd_eq(u8x16::splat(byte))
}
