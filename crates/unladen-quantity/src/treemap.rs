//! [`treemap`]: areas in proportion to shares.

/// `x`, `y`, width and height of an area for each share, in their order, which together fill the whole. Each time the
/// rest is cut across its longer side, in two parts of about the same sum.
pub fn treemap(shares: &[f64], whole: [f64; 4]) -> Vec<[f64; 4]> {
    if shares.len() <= 1 {
        return shares.iter().map(|_| whole).collect();
    }
    let sum: f64 = shares.iter().sum();
    let (mut first, mut at) = (0.0, 0);
    while at + 1 < shares.len() && (at == 0 || first + shares[at] / 2.0 < sum / 2.0) {
        first += shares[at];
        at += 1;
    }
    let part = if sum > 0.0 { first / sum } else { 0.5 };
    let [x, y, width, height] = whole;
    let [one, other] = if width >= height {
        let cut = width * part;
        [[x, y, cut, height], [x + cut, y, width - cut, height]]
    } else {
        let cut = height * part;
        [[x, y, width, cut], [x, y + cut, width, height - cut]]
    };
    let mut all = treemap(&shares[..at], one);
    all.extend(treemap(&shares[at..], other));
    all
}

#[cfg(test)]
mod tests {
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
}
