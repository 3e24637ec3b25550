//! [`p_value_of_larger`]: whether one sample lies above another, by ranks (Wilcoxon 1945; Mann & Whitney 1947, *Ann. Math.
//! Stat.* 18:50; Hollander, Wolfe & Chicken, *Nonparametric Statistical Methods*, 3rd ed., ch. 4).

use crate::normal::normal_cdf;

/// Up to here the distribution is counted out; beyond it the normal approximation serves.
const EXACT_UP_TO: usize = 60;

/// The probability that ranks drawn at random have at least the sum that those of `larger` have among all: small where
/// its values lie above the `others`'. Of equal values each has their mean rank. One, where either is empty.
pub(crate) fn p_value_of_larger(larger: &[f64], others: &[f64]) -> f64 {
    if larger.is_empty() || others.is_empty() {
        return 1.0;
    }
    let ranks = doubled_ranks(larger, others);
    let observed: usize = ranks[..larger.len()].iter().sum();
    if ranks.len() > EXACT_UP_TO {
        normal(&ranks, larger.len(), observed)
    } else {
        exact(&ranks, larger.len(), observed)
    }
}

/// Ranks of `larger`, then of `others`, times two, so that mean ranks are whole.
fn doubled_ranks(larger: &[f64], others: &[f64]) -> Vec<usize> {
    let all: Vec<f64> = larger.iter().chain(others).copied().collect();
    let rank = |value: &f64| {
        let below = all.iter().filter(|other| other.total_cmp(value).is_lt()).count();
        let equal = all.iter().filter(|other| other.total_cmp(value).is_eq()).count();
        2 * below + equal + 1
    };
    all.iter().map(rank).collect()
}

/// Of all ways to choose so many ranks, the part with at least this sum.
fn exact(ranks: &[usize], chosen: usize, observed: usize) -> f64 {
    let most: usize = ranks.iter().sum();
    // ways[k][s]: the part of 2ⁿ subsets that have k ranks and the sum s. Halves instead of counts fit an f64.
    let mut ways = vec![vec![0.0; most + 1]; chosen + 1];
    ways[0][0] = 1.0;
    for rank in ranks {
        for k in (0..=chosen).rev() {
            for sum in (0..=most).rev() {
                let with_it = if k > 0 && sum >= *rank { ways[k - 1][sum - rank] } else { 0.0 };
                ways[k][sum] = 0.5 * (ways[k][sum] + with_it);
            }
        }
    }
    let all: f64 = ways[chosen].iter().sum();
    ways[chosen][observed.min(most)..].iter().sum::<f64>() / all
}

fn normal(ranks: &[usize], chosen: usize, observed: usize) -> f64 {
    let (n, k) = (ranks.len() as f64, chosen as f64);
    let mean = ranks.iter().sum::<usize>() as f64 / n;
    let variance = ranks.iter().map(|rank| (*rank as f64 - mean).powi(2)).sum::<f64>() / (n - 1.0);
    // Without replacement; ties are in the variance of the ranks.
    let sd = (variance * k * (n - k) / n).sqrt();
    if sd == 0.0 {
        return 1.0;
    }
    // Half a step down to the sum below; sums of doubled ranks go by two where there are no ties.
    normal_cdf((k * mean - (observed as f64 - 1.0)) / sd)
}

#[cfg(test)]
mod tests {
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
}
