//! [`p_value_of_larger`]: whether one sample lies above another, by ranks (Wilcoxon 1945; Mann & Whitney 1947, *Ann.
//! Math. Stat.* 18:50; Hollander, Wolfe & Chicken, *Nonparametric Statistical Methods*, 3rd ed., ch. 4).

use crate::normal::normal_cdf;

/// Exact distribution up to here, the normal approximation beyond.
const EXACT_UP_TO: usize = 60;

/// Probability that random ranks have at least the sum of those of `larger`: small if its values lie above the
/// `others`'. Equal values each have their mean rank. 1 if either is empty.
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

/// The part of all choices of `chosen` ranks with at least this sum.
fn exact(ranks: &[usize], chosen: usize, observed: usize) -> f64 {
    let most: usize = ranks.iter().sum();
    // ways[k][s]: the part of 2ⁿ subsets with k ranks and the sum s. Halves instead of counts fit an f64.
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
    // Half a step down to the sum below; sums of doubled ranks go by two without ties.
    normal_cdf((k * mean - (observed as f64 - 1.0)) / sd)
}

#[cfg(test)]
mod tests;
