use super::*;
use crate::doctor::row::Verdict;

#[test]
fn the_hard_limit_counts() {
    assert_eq!((row(1_024, true).verdict, row(4_096, true).verdict), (Verdict::Limited, Verdict::Ok));
    let bound = row(1_024, false);
    assert!(bound.fix.is_empty() && bound.advice.contains("LimitNOFILE"), "{bound:?}");
}
