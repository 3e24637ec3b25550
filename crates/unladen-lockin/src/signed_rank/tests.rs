use super::*;

/// P(W⁺ ≤ w) by going through all 2ⁿ sign patterns.
fn by_enumeration(n: u32, w: u32) -> f64 {
    let favourable =
        (0_u32..1 << n).filter(|signs| (1..=n).filter(|rank| signs >> (rank - 1) & 1 == 1).sum::<u32>() <= w);
    favourable.count() as f64 / f64::from(1_u32 << n)
}

#[test]
fn the_distribution_is_that_of_all_sign_patterns() {
    for n in 1..=12_u32 {
        let exact = SignedRank::new(n as usize);
        for w in 0..=n * (n + 1) / 2 {
            let difference = exact.at_most(f64::from(w)) - by_enumeration(n, w);
            assert!(difference.abs() < 1e-12, "n={n} w={w}");
        }
    }
}

#[test]
fn five_differences_cannot_carry_95_percent_and_six_can() {
    assert_eq!(SignedRank::new(5).trim(), None);
    assert_eq!(SignedRank::new(6).trim(), Some(0));
}

#[test]
fn critical_values_are_those_of_the_published_tables() {
    // Two-sided 5 %, Hollander, Wolfe & Chicken, table A.4: reject at T ≤ 8 (n=10), 25 (n=15), 52 (n=20), 137 (n=30).
    for (n, critical) in [(8, 3), (10, 8), (15, 25), (20, 52), (30, 137)] {
        assert_eq!(SignedRank::new(n).trim(), Some(critical), "n={n}");
    }
}

#[test]
fn the_normal_approximation_takes_over_smoothly() {
    let exact = SignedRank::new(EXACT_UP_TO);
    let approximate = SignedRank { n: EXACT_UP_TO, cumulative: Vec::new() };
    for w in 0..=exact.pairs() {
        assert!((exact.at_most(w as f64) - approximate.at_most(w as f64)).abs() < 0.002);
    }
    let (a, b) = (exact.trim().unwrap(), approximate.trim().unwrap());
    assert!(a.abs_diff(b) <= 2, "{a} {b}");
}

#[test]
fn p_values_are_two_sided_and_one_at_the_centre() {
    let dist = SignedRank::new(10);
    assert!((dist.p_value(0.0) - 2.0 / 1024.0).abs() < 1e-12);
    assert!((dist.p_value(55.0) - 2.0 / 1024.0).abs() < 1e-12);
    assert!((dist.p_value(27.5) - 1.0).abs() < 1e-12);
}
