use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn areas_are_in_proportion_and_fill_the_whole(shares in proptest::collection::vec(0.01_f64..10.0, 1..30)) {
        let areas = treemap(&shares, [5.0, 7.0, 300.0, 200.0]);
        let sum: f64 = shares.iter().sum();
        for (share, [x, y, width, height]) in shares.iter().zip(&areas) {
            prop_assert!((width * height - share / sum * 60_000.0).abs() < 1e-6);
            prop_assert!(*x >= 5.0 - 1e-9 && *y >= 7.0 - 1e-9);
            prop_assert!(x + width <= 305.0 + 1e-6 && y + height <= 207.0 + 1e-6);
        }
        prop_assert_eq!(areas.len(), shares.len());
    }
}
