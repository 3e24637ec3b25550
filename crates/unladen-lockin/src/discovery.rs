//! Control of false discoveries where many counters of many groups are looked at together.

/// Of the counters said to follow the requests, at most this share (on average) does not.
pub const FALSE_DISCOVERY_RATE: f64 = 0.05;

/// Adjusts p-values by the step-up procedure of Benjamini & Hochberg (1995, *J. R. Stat. Soc. B*
/// 57:289): those at most [`FALSE_DISCOVERY_RATE`] are the discoveries. In the order given.
///
/// Counters of one group move together; the procedure stays valid under such positive dependence
/// (Benjamini & Yekutieli 2001).
///
/// ```
/// let adjusted = unladen_lockin::benjamini_hochberg(&[0.01, 0.04, 0.03, 0.90]);
/// assert!((adjusted[0] - 0.04).abs() < 1e-12 && adjusted[3] > 0.5);
/// ```
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_unstable_by(|&a, &b| p_values[b].total_cmp(&p_values[a]));
    let total = p_values.len() as f64;
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 1.0_f64;
    for (from_largest, &index) in order.iter().enumerate() {
        let rank = total - from_largest as f64;
        least = least.min(p_values[index] * total / rank);
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests;
