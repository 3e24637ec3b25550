//! [`headline`]: one figure for how well the arms are known.

use unladen_lockin::Arm;
use unladen_lockin::{Contrast, Estimate, Observations, Scale, Statistic, contrast};
use unladen_prove::Experiment;

use crate::prove::measured::{BASELINE, BASELINE_AGAIN};
use crate::prove::recording::Recording;

/// The widest interval among the arms' first-quantile ratios to the baseline; `None` until there is one.
pub(crate) fn headline(experiment: &Experiment, arms: &[Arm], recording: &Recording) -> Option<Estimate> {
    let of = |arm: usize| recording.observations(move |block| &block.arms[arm].latencies_ns);
    let observations: Vec<Observations> = (0..arms.len()).map(of).collect();
    widest(experiment, arms, &observations).map(|contrast| Estimate {
        value: contrast.value,
        low: contrast.low,
        high: contrast.high,
        mean: contrast.value,
        blocks: recording.blocks.len(),
    })
}

/// Like [`headline`], for each arm's latencies.
pub(crate) fn widest(experiment: &Experiment, arms: &[Arm], observations: &[Observations]) -> Option<Contrast> {
    let statistic =
        experiment.quantiles.first().map_or(Statistic::Mean, |quantile| Statistic::Quantile(quantile.share()));
    let baseline = Observations::pooled(&[&observations[BASELINE], &observations[BASELINE_AGAIN]]);
    (BASELINE_AGAIN + 1..arms.len())
        .filter_map(|arm| contrast(&[(1.0, &observations[arm]), (-1.0, &baseline)], statistic, Scale::Ratio).ok())
        .max_by(|a, b| a.relative_half_width().total_cmp(&b.relative_half_width()))
}
