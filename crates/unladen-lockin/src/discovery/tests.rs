use super::*;
use proptest::prelude::*;

#[test]
fn the_example_of_the_paper_gives_four_discoveries() {
    // Benjamini & Hochberg 1995, section 4: fifteen tests of thrombolysis, four rejected at 5 %.
    let p = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590,
        1.0000,
    ];
    let discoveries = benjamini_hochberg(&p).into_iter().filter(|q| *q <= FALSE_DISCOVERY_RATE).count();
    assert_eq!(discoveries, 4);
}

proptest! {
    #[test]
    fn adjusting_never_lowers_a_p_value_and_keeps_the_order(p in proptest::collection::vec(0.0_f64..=1.0, 0..60)) {
        let q = benjamini_hochberg(&p);
        for (p, q) in p.iter().zip(&q) {
            prop_assert!(*q >= *p - 1e-15 && *q <= 1.0);
        }
        for i in 0..p.len() {
            for j in 0..p.len() {
                prop_assert!(p[i] > p[j] || q[i] <= q[j]);
            }
        }
    }
}
