//! [`arm_results`]: each arm by itself.

use unladen_document::{Arm, BoxPlot};
use unladen_lockin::{Observations, Statistic};

use crate::prove::latencies::Arms;
use crate::prove::measured::{BASELINE_AGAIN, Measured};

/// Points of a distribution in a picture.
const POINTS: usize = 200;

/// The arms, the baseline first and the baseline again last.
pub(crate) fn arm_results(measured: &Measured<'_>, arms: &Arms) -> Vec<Arm> {
    let mut order: Vec<usize> = (0..measured.arms.len()).filter(|arm| *arm != BASELINE_AGAIN).collect();
    order.push(BASELINE_AGAIN);
    order.into_iter().map(|index| arm_result(measured, arms, index)).collect()
}

fn arm_result(measured: &Measured<'_>, arms: &Arms, index: usize) -> Arm {
    let arm = &measured.arms[index];
    let knobs = &measured.options.experiment.knobs;
    let statuses = measured.recording.statuses(index);
    let sum = |of: fn(&crate::prove::recording::ArmRecord) -> u64| measured.recording.sum(index, of);
    Arm {
        name: arm.name.clone(),
        on: knobs.iter().zip(&arm.on).filter(|(_, on)| **on).map(|(knob, _)| knob.name.clone()).collect(),
        roles: arm.roles.iter().map(|role| role.into_str().to_owned()).collect(),
        requests: sum(|record| record.answered),
        errors: sum(|record| record.errors),
        changed: sum(|record| record.changed),
        statuses: statuses.into_iter().map(|(status, count)| (status.to_string(), count)).collect(),
        answers: Vec::new(),
        box_plot_ns: box_plot(&arms.warm[index]),
        distribution: distribution(&arms.warm[index]),
        cold_box_plot_ns: box_plot(&arms.cold[index]),
    }
}

fn box_plot(observations: &Observations) -> Option<BoxPlot> {
    let at = |q: f64| observations.value(Statistic::Quantile(q)).map(|ns| ns.max(0.0) as u64);
    Some(BoxPlot {
        p5: at(0.05)?,
        p25: at(0.25)?,
        p50: at(0.5)?,
        p75: at(0.75)?,
        p95: at(0.95)?,
        requests: observations.count(),
    })
}

fn distribution(observations: &Observations) -> Vec<(u64, f64)> {
    let points = (1..=POINTS).map(|point| point as f64 / (POINTS + 1) as f64);
    points.filter_map(|q| Some((observations.value(Statistic::Quantile(q))? as u64, q))).collect()
}
