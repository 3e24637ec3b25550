//! Control of false discoveries for many counters of many groups.

/// Most counters, as an average share, wrongly said to follow the requests.
pub const FALSE_DISCOVERY_RATE: f64 = 0.05;

/// Adjusts p-values, in the given order, by the step-up procedure of Benjamini & Hochberg (1995, *J. R. Stat. Soc. B*
/// 57:289): those of at most [`FALSE_DISCOVERY_RATE`] are the discoveries.
///
/// Counters of one group move together; the procedure stays valid under such positive dependence (Benjamini & Yekutieli
/// 2001).
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

/// The p-values of one group's counters: of the one that decides whether the group is looked into, and of the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    pub deciding: f64,
    pub others: Vec<f64>,
}

/// Adjusts the p-values of families: the deciding counters among each other by [`benjamini_hochberg`]; the others
/// within their family, and only if its deciding counter is a discovery, at the level left for the share of families
/// that were selected (Benjamini & Bogomolov 2014, *J. R. Stat. Soc. B* 76:297).
///
/// One list of all counters of all groups would need more evidence than a few blocks can give: with n blocks no p-value
/// is below 2¹⁻ⁿ.
///
/// ```
/// use unladen_lockin::{Family, adjust_families};
///
/// let families = [Family { deciding: 0.001, others: vec![0.001, 0.7] }, Family { deciding: 0.6, others: vec![0.001] }];
/// let adjusted = adjust_families(&families);
/// assert!(adjusted[0].deciding <= 0.05 && adjusted[0].others[0] <= 0.05 && adjusted[0].others[1] > 0.05);
/// assert_eq!(adjusted[1].others, [1.0]);
/// ```
pub fn adjust_families(families: &[Family]) -> Vec<Family> {
    let deciding = benjamini_hochberg(&families.iter().map(|family| family.deciding).collect::<Vec<_>>());
    let selected = deciding.iter().filter(|p| **p <= FALSE_DISCOVERY_RATE).count();
    let penalty = families.len() as f64 / selected.max(1) as f64;
    deciding
        .into_iter()
        .zip(families)
        .map(|(deciding, family)| {
            let is_selected = deciding <= FALSE_DISCOVERY_RATE;
            let adjust = |p: f64| if is_selected { (p * penalty).min(1.0) } else { 1.0 };
            Family { deciding, others: benjamini_hochberg(&family.others).into_iter().map(adjust).collect() }
        })
        .collect()
}

/// Adjusts the p-values of comparisons: each family is one candidate, its deciding metric the headline (the subject of
/// the experiment), its others all further metrics.
///
/// Unlike in [`adjust_families`] the headline is no gate, as a change may affect the slowest requests alone. A family
/// is judged by its headline and by the others together (their smallest p-value adjusted by [`benjamini_hochberg`],
/// which is Simes' test), both at half the level, and once one of them holds the other has the whole (Holm 1979,
/// *Scand. J. Stat.* 6:65; Hochberg 1988, *Biometrika* 75:800). So for two equal arms nothing at all is called in 95 %
/// of experiments, while the headline pays a factor of two at most, however many metrics are shown beside it. Families
/// are then selected by [`benjamini_hochberg`], and their members judged at the level left for the share selected
/// (Benjamini & Bogomolov 2014).
///
/// ```
/// use unladen_lockin::{Family, adjust_comparisons};
///
/// let many = vec![0.5; 20];
/// let adjusted = adjust_comparisons(&[Family { deciding: 0.02, others: many }]);
/// assert!((adjusted[0].deciding - 0.04).abs() < 1e-12);
/// // One of 20 alone has to be clearer.
/// let adjusted = adjust_comparisons(&[Family { deciding: 0.5, others: [vec![0.002], vec![0.5; 19]].concat() }]);
/// assert!(adjusted[0].others[0] > 0.05);
/// ```
pub fn adjust_comparisons(families: &[Family]) -> Vec<Family> {
    let others: Vec<Vec<f64>> = families.iter().map(|family| benjamini_hochberg(&family.others)).collect();
    let joint: Vec<f64> = families
        .iter()
        .zip(&others)
        .map(|(family, others)| {
            let headline = family.deciding;
            if others.is_empty() {
                return headline;
            }
            let others = others.iter().copied().fold(1.0, f64::min);
            (2.0 * headline.min(others)).min(headline.max(others))
        })
        .collect();
    let selected = benjamini_hochberg(&joint);
    let discovered = selected.iter().filter(|p| **p <= FALSE_DISCOVERY_RATE).count();
    let penalty = families.len() as f64 / discovered.max(1) as f64;
    families
        .iter()
        .zip(others)
        .zip(joint.iter().zip(&selected))
        .map(|((family, others), (joint, selected))| {
            let adjust = |p: f64| (p.max(*joint) * penalty).max(*selected).min(1.0);
            Family { deciding: adjust(family.deciding), others: others.into_iter().map(adjust).collect() }
        })
        .collect()
}

/// Blocks needed to tell `discoveries` out of `families` from chance.
pub fn blocks_needed(families: usize, discoveries: usize) -> usize {
    let least_p = FALSE_DISCOVERY_RATE * discoveries.max(1) as f64 / families.max(1) as f64;
    // The smallest two-sided p-value of n blocks is 2 / 2ⁿ.
    (1.0 - least_p.log2()).ceil() as usize
}

#[cfg(test)]
mod tests;
