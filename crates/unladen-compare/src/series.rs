//! Figures of one metric over runs, on the scale of the comparison.

use crate::between::{Between, Point};
use crate::change_points::{clear_changes, segments};
use crate::key::Key;
use crate::run::Run;
use crate::speed::level;

/// With this many repetitions within commits in total, they alone determine the variation between runs.
const ENOUGH_REPETITIONS: usize = 8;

/// How the figures of one metric are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    pub(crate) key: &'a Key,
    /// As logarithms.
    pub(crate) is_ratio: bool,
    /// Reference work that divides out the machine's own speed.
    pub(crate) reference: Option<Origin<'a>>,
    /// Replaces a run's noise floor if nothing was counted.
    pub(crate) noise_floor: Option<f64>,
}

/// Reference work, and the speed to which all figures are converted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin<'a> {
    /// Its kinds.
    pub(crate) names: &'a [String],
    /// Logarithm of its time in the run to whose machine all times are converted.
    pub(crate) level: f64,
}

impl Look<'_> {
    pub(crate) fn point(&self, run: &Run) -> Option<Point> {
        if run.is_spoiled(self.key) {
            return None;
        }
        let measured = run.figure(self.key, self.noise_floor).filter(|measured| !measured.invalid)?;
        let point = measured.point(self.is_ratio)?;
        let Some(origin) = self.reference else { return Some(point) };
        let reference = level(&run.references, origin.names)?;
        Some(if self.is_ratio {
            Point { y: point.y - reference.y + origin.level, variance: point.variance + reference.variance }
        } else {
            let factor = (origin.level - reference.y).exp();
            Point { y: point.y * factor, variance: point.variance * factor * factor }
        })
    }

    /// The variation between these runs, earliest first.
    pub(crate) fn between(&self, runs: &[&Run]) -> Option<Between> {
        let measured: Vec<(&Run, Point)> = runs.iter().filter_map(|run| Some((*run, self.point(run)?))).collect();
        let points: Vec<Point> = measured.iter().map(|(_, point)| *point).collect();
        let repeated = repetitions(&measured);
        let extra: usize = repeated.iter().map(|(from, to)| to - from - 1).sum();
        if extra >= ENOUGH_REPETITIONS {
            let of_commits: Vec<&[Point]> = repeated.iter().map(|&(from, to)| &points[from..to]).collect();
            return Between::within(&of_commits);
        }
        let changes = clear_changes(&points);
        Between::of(&segments(&points, &changes))
    }
}

/// Two or more consecutive runs of one clean commit.
fn repetitions(measured: &[(&Run, Point)]) -> Vec<(usize, usize)> {
    let commit = |at: usize| {
        let label = &measured[at].0.label;
        label.commit.as_deref().filter(|_| label.dirty != Some(true))
    };
    let mut all = Vec::new();
    let mut from = 0;
    for to in 1..=measured.len() {
        let goes_on = to < measured.len() && commit(to).is_some() && commit(to) == commit(from);
        if !goes_on {
            if to - from >= 2 {
                all.push((from, to));
            }
            from = to;
        }
    }
    all
}
