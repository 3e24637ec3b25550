use super::*;
use crate::doctor::row::Verdict;

#[test]
fn addresses_of_zeros_are_hidden_ones() {
    assert_eq!(of_kernel("0000000000000000 T _text").verdict, Verdict::Limited);
    assert_eq!(of_kernel("ffffffff81000000 T _text").verdict, Verdict::Ok);
}
