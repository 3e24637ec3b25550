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
