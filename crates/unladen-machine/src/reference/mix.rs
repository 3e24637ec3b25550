//! [`mix`]: numbers without a pattern, the same in every version. A library's generator may change.

/// The odd number nearest to 2⁶⁴ divided by the golden ratio.
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The output function of SplitMix64 (Steele, Lea and Flood 2014, *OOPSLA*, figure 17): a one-to-one map of all
/// numbers.
pub(crate) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A fixed order of `0..count`: Fisher and Yates's shuffle by [`mix`].
pub(crate) fn order(count: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let other = (mix(seed.wrapping_add(last as u64)) % (last as u64 + 1)) as usize;
        order.swap(last, other);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of SplitMix64 from the state 0, as its reference implementation has them.
    #[test]
    fn it_is_the_published_function() {
        let outputs: Vec<u64> = (0..3).map(|step: u64| mix(GOLDEN.wrapping_mul(step))).collect();
        assert_eq!(outputs, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]);
    }

    #[test]
    fn an_order_has_everything_once() {
        let mut order = order(1_000, 7);
        assert_ne!(order, (0..1_000).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..1_000).collect::<Vec<_>>());
    }
}
