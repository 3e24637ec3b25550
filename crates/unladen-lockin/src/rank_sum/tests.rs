use super::*;
use proptest::prelude::*;

#[test]
fn of_fifteen_the_largest_two_are_one_choice_of_105() {
    let others: Vec<f64> = (0..13).map(f64::from).collect();
    assert!((p_value_of_larger(&[20.0, 30.0], &others) - 1.0 / 105.0).abs() < 1e-12);
    assert!((p_value_of_larger(&[-1.0, -2.0], &others) - 1.0).abs() < 1e-12);
    assert_eq!(p_value_of_larger(&[], &others), 1.0);
}

#[test]
fn equal_values_tell_nothing() {
    assert!((p_value_of_larger(&[1.0; 3], &[1.0; 7]) - 1.0).abs() < 1e-12);
    assert!((p_value_of_larger(&[1.0; 30], &[1.0; 70]) - 1.0).abs() < 1e-12);
}

#[test]
fn the_approximation_agrees_with_the_count() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..20 {
        let larger: Vec<f64> = (0..15).map(|_| rng.f64() + 0.2).collect();
        let others: Vec<f64> = (0..40).map(|_| rng.f64()).collect();
        let ranks = doubled_ranks(&larger, &others);
        let observed = ranks[..15].iter().sum();
        let (exact, normal) = (exact(&ranks, 15, observed), normal(&ranks, 15, observed));
        assert!((exact - normal).abs() < 0.01, "{exact} {normal}");
    }
}

proptest! {
    #[test]
    fn it_is_a_probability(larger in prop::collection::vec(-5_i8..5, 1..9), others in prop::collection::vec(-5_i8..5, 1..9)) {
        let of = |values: &[i8]| values.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
        let (larger, others) = (of(&larger), of(&others));
        let p = p_value_of_larger(&larger, &others);
        prop_assert!(p > 0.0 && p <= 1.0 + 1e-12, "{}", p);
        // What is at least the sum, and what is less, is all.
        let ranks = doubled_ranks(&larger, &others);
        let above = exact(&ranks, larger.len(), ranks[..larger.len()].iter().sum::<usize>() + 1);
        prop_assert!(above < p);
    }
}
