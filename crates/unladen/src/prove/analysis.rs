//! Makes a result from a recording: [`analyse`].

use unladen_lockin::time_needed;
use unladen_prove::{Experiment, Pace};
use unladen_report::{Machine, Metric, Prove, ProveSetup};

use crate::machine::machine;
use crate::prove::agents::agents;
use crate::prove::answers::answers;
use crate::prove::arms::arm_results;
use crate::prove::gate::gates;
use crate::prove::interactions::interactions;
use crate::prove::latencies::{Arms, compare};
use crate::prove::measured::{BASELINE, Measured, widest};
use crate::prove::warnings::warnings;
use crate::prove::weights::weights;

/// Target accuracy of the first quantile's change, for the estimate of how long that would take.
const ONE_PERCENT: f64 = 0.01;

pub(crate) fn analyse(measured: &Measured<'_>) -> Prove {
    let arms = Arms::of(measured);
    let (mut comparisons, refused) = compare(measured, &arms);
    comparisons.extend(answers(measured));
    comparisons.extend(weights(measured));
    let results = arm_results(measured, &arms);
    let experiment = &measured.options.experiment;
    let contrast = widest(experiment, measured.arms, &arms.warm);
    let latency = comparisons.iter().filter(|comparison| comparison.kind == Metric::Latency).count();
    let rate = match experiment.load.pace {
        Pace::Open { rate, .. } => Some(rate),
        Pace::Closed { .. } => None,
    };
    Prove {
        title: experiment.title.clone(),
        design: experiment.design.as_str(),
        setup: ProveSetup {
            target: target(experiment),
            rate,
            concurrency: measured.concurrency(),
            keep_cookies: experiment.load.keep_cookies,
            seed: measured.options.seed,
            elapsed: measured.elapsed,
            phase: measured.plan.phase,
            blocks: measured.recording.counted().count(),
            restarts: arms.warm[BASELINE].restarts(),
            unit: contrast.map_or("blocks", |contrast| match contrast.unit {
                unladen_lockin::Unit::Block => "blocks",
                unladen_lockin::Unit::Restart => "restarts",
            }),
            send_lag_p99: measured.send_lag_p99(),
            agents: agents(measured),
        },
        ended: measured.ended,
        gates: gates(&measured.options.fail_on, &comparisons, &results),
        interactions: interactions(measured, &arms),
        time_for_one_percent: contrast
            .filter(|contrast| latency > 0 && contrast.relative_half_width() > ONE_PERCENT)
            .and_then(|contrast| time_needed(&contrast, measured.elapsed, ONE_PERCENT)),
        put_back: match measured.put_back.done.as_slice() {
            [] => Vec::new(),
            done => vec![format!("put back: {}", done.join(", "))],
        },
        profiles: Vec::new(),
        machine: Some(machine_of(measured)),
        warnings: warnings(measured, &arms, &results, &refused),
        arms: results,
        comparisons,
    }
}

fn machine_of(measured: &Measured<'_>) -> Machine {
    let mut machine = machine(&measured.recording.times(), Some(measured.spoiled));
    measured.reference.tell(&mut machine);
    machine
}

fn target(experiment: &Experiment) -> String {
    match experiment.urls.as_slice() {
        [only] => only.url.to_string(),
        several => format!("{} URLs", several.len()),
    }
}
