//! Makes a result from a recording: [`analyse`].

use unladen_document::{About, Machine, Metric, ProveDocument, nanos};
use unladen_lockin::time_needed;
use unladen_prove::{Experiment, Pace};

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

pub(crate) fn analyse(measured: &Measured<'_>) -> ProveDocument {
    let arms = Arms::of(measured);
    let (mut comparisons, refused) = compare(measured, &arms);
    comparisons.extend(answers(measured));
    comparisons.extend(weights(measured));
    let results = arm_results(measured, &arms);
    let experiment = &measured.options.experiment;
    let contrast = widest(experiment, measured.arms, &arms.warm);
    let latency = comparisons.iter().filter(|comparison| comparison.kind() == Metric::Latency).count();
    let rate = match experiment.load.pace {
        Pace::Open { rate, .. } => Some(rate),
        Pace::Closed { .. } => None,
    };
    let resampled = match contrast.map(|contrast| contrast.unit) {
        Some(unladen_lockin::Unit::Restart) => "restarts",
        Some(unladen_lockin::Unit::Block) | None => "blocks",
    };
    let warnings = warnings(measured, &arms, &results, &refused);
    ProveDocument {
        schema: ProveDocument::SCHEMA.to_owned(),
        about: About { seed: Some(measured.options.seed), machine: Some(machine_of(measured)), ..About::default() },
        title: experiment.title.clone(),
        design: experiment.design.into_str().to_owned(),
        target: target(experiment),
        ended: measured.ended.into_str().to_owned(),
        rate,
        concurrency: measured.concurrency() as u64,
        keep_cookies: experiment.load.keep_cookies,
        elapsed_ns: nanos(measured.elapsed),
        phase_ns: nanos(measured.plan.phase),
        blocks: measured.recording.counted().count() as u64,
        restarts: arms.warm[BASELINE].restarts() as u64,
        resampled: resampled.to_owned(),
        send_lag_p99_ns: measured.send_lag_p99(),
        agents: agents(measured),
        gates: gates(&measured.options.fail_on, &comparisons, &results),
        interactions: interactions(measured, &arms),
        time_for_one_percent_ns: contrast
            .filter(|contrast| latency > 0 && contrast.relative_half_width() > ONE_PERCENT)
            .and_then(|contrast| time_needed(&contrast, measured.elapsed, ONE_PERCENT))
            .map(nanos),
        put_back: match measured.put_back.done.as_slice() {
            [] => Vec::new(),
            done => vec![format!("put back: {}", done.join(", "))],
        },
        counted: Vec::new(),
        not_counted: None,
        profiles: Vec::new(),
        warnings: warnings.iter().map(ToString::to_string).collect(),
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
