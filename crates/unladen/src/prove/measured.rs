//! The principal type is [`Measured`]: the input of a result.

use std::time::Duration;

use unladen_lockin::{Arm, Contrast, Estimate, Observations, Scale, Spoiled, Statistic, contrast};
use unladen_probe::Instrument;
use unladen_prove::{Experiment, Pace, PutBack};
use unladen_report::Ended;

use crate::load::MOST_UNDER_WAY;
use crate::machine::ReferenceWork;
use crate::prove::options::Options;
use crate::prove::path::OnPath;
use crate::prove::plan::Plan;
use crate::prove::recording::Recording;

/// Index of the baseline among an experiment's arms.
pub(crate) const BASELINE: usize = 0;
/// Index of its repetition.
pub(crate) const BASELINE_AGAIN: usize = 1;

pub(crate) struct Measured<'a> {
    pub(crate) options: &'a Options,
    pub(crate) arms: &'a [Arm],
    pub(crate) plan: Plan,
    pub(crate) recording: &'a Recording,
    pub(crate) spoiled: &'a Spoiled,
    /// Likewise for each agent's machine.
    pub(crate) spoiled_at_agents: &'a [Spoiled],
    pub(crate) reference: &'a ReferenceWork,
    pub(crate) instrument: Option<&'a Instrument>,
    pub(crate) elapsed: Duration,
    pub(crate) path: &'a OnPath,
    /// All requests go to this machine.
    pub(crate) is_local: bool,
    /// Records of ended processes were lost.
    pub(crate) lost: bool,
    pub(crate) ended: Ended,
    pub(crate) put_back: &'a PutBack,
}

impl Measured<'_> {
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.options.experiment.load.pace, Pace::Closed { .. })
    }

    pub(crate) fn concurrency(&self) -> usize {
        match self.options.experiment.load.pace {
            Pace::Open { .. } => MOST_UNDER_WAY,
            Pace::Closed { concurrency } => concurrency,
        }
    }

    /// 99th percentile of the send lag, ns; `None` in a closed loop.
    pub(crate) fn send_lag_p99(&self) -> Option<u64> {
        if self.is_closed() {
            return None;
        }
        let arms = self.recording.counted().flat_map(|block| &block.arms);
        let mut lags: Vec<u64> = arms.flat_map(|arm| arm.lags_ns.iter().copied()).collect();
        lags.sort_unstable();
        lags.get((lags.len().saturating_sub(1)) * 99 / 100).copied()
    }
}

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
