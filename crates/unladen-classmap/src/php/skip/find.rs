//! The first byte of a kind. [`find`] is its only function.

/// How many bytes are looked at at once: what one instruction of any x86-64 or aarch64 compares.
const LANE: usize = 16;

/// The first offset from `at` whose byte `wanted` says yes to.
///
/// The strings and stretches of code that it passes over are short, mostly below 50 bytes: memchr's functions, which are faster on long
/// ones, take longer to be called than these to be passed. `wanted` is to be a few comparisons, without a branch (`|`, not `||`),
/// which the compiler then makes for a whole lane at once.
#[inline(always)]
pub(crate) fn find(source: &[u8], at: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let mut rest = source.get(at..)?;
    while let Some((lane, behind)) = rest.split_first_chunk::<LANE>() {
        let mut hits = [0_u8; LANE];
        for (hit, &byte) in hits.iter_mut().zip(lane) {
            *hit = u8::from(wanted(byte));
        }
        let hits = u128::from_le_bytes(hits);
        if hits != 0 {
            return Some(source.len() - rest.len() + (hits.trailing_zeros() / 8) as usize);
        }
        rest = behind;
    }
    rest.iter().position(|&byte| wanted(byte)).map(|found| source.len() - rest.len() + found)
}
