//! [`warnings`]: what the reader should know before believing a comparison.

use unladen_document::{Arm, statuses_text};
use unladen_lockin::{CannotCompare, Scale, Statistic, contrast};
use unladen_report::Warning;

use crate::lateness::because;
use crate::machine::taken_warning;
use crate::prove::agents;
use crate::prove::latencies::Arms;
use crate::prove::measured::{BASELINE, BASELINE_AGAIN, Measured, headline};

/// A greater lag of the generator is worth a warning, ns.
const LATE: u64 = 1_000_000;

pub(crate) fn warnings(
    measured: &Measured<'_>,
    arms: &Arms,
    results: &[Arm],
    refused: &[(String, CannotCompare)],
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let reached = headline(&measured.options.experiment, measured.arms, measured.recording);
    if let (Some(target), Some(reached)) =
        (measured.options.until, reached.map(|reached| reached.relative_half_width()))
        && reached > target
    {
        warnings.push(Warning::NotReached { target, reached });
    }
    for arm in results.iter().filter(|arm| arm.errors > 0) {
        let (name, statuses) = (arm.name.clone(), statuses_text(&arm.statuses));
        warnings.push(Warning::ErrorsInArm { arm: name, errors: arm.errors, statuses });
    }
    let differ = |name: &str| {
        let index = measured.arms.iter().position(|arm| arm.name == name);
        index.is_none_or(|index| measured.recording.body_sizes(index).differ())
    };
    let changed: Vec<&Arm> = results.iter().filter(|arm| arm.changed > 0 && differ(&arm.name)).collect();
    if changed.len() == results.len() {
        // A page that contains the time: said once.
        let sum = |of: fn(&Arm) -> u64| changed.iter().map(|arm| of(arm)).sum();
        let arm = "every arm".to_owned();
        warnings.push(Warning::ChangedInArm {
            arm,
            changed: sum(|arm| arm.changed),
            requests: sum(|arm| arm.requests),
        });
    } else {
        warnings.extend(changed.iter().map(|arm| Warning::ChangedInArm {
            arm: arm.name.clone(),
            changed: arm.changed,
            requests: arm.requests,
        }));
    }
    let cut_short = (0..measured.arms.len()).map(|arm| measured.recording.sum(arm, |record| record.cut_short)).sum();
    if cut_short > 0 {
        warnings.push(Warning::CutShort { requests: cut_short });
    }
    let waited: u64 = (0..measured.arms.len()).map(|arm| measured.recording.sum(arm, |record| record.waited)).sum();
    if waited > 0 && !measured.is_closed() {
        warnings.push(Warning::Capped { concurrency: measured.concurrency() as u64 });
    }
    warnings.extend(few_requests(refused));
    let statistic = measured.options.quantiles().first().map_or(Statistic::Mean, |(_, q)| Statistic::Quantile(*q));
    let same = [(1.0, &arms.warm[BASELINE_AGAIN]), (-1.0, &arms.warm[BASELINE])];
    if let Ok(same) = contrast(&same, statistic, Scale::Ratio)
        && same.excludes_no_change()
    {
        warnings.push(Warning::SameArmDiffers { ratio: same.value });
    }
    if let Some(p99) = measured.send_lag_p99().filter(|p99| *p99 > LATE && measured.recording.agents() == 0) {
        let stretches: Vec<_> =
            measured.recording.counted().flat_map(|block| block.stretches.iter().copied()).collect();
        warnings.push(Warning::LateSends { p99, because: because(&stretches) });
    }
    warnings.extend(agents::warnings(measured));
    warnings.extend(taken_warning(&measured.recording.times(), Some(measured.spoiled)));
    warnings.extend(measured.reference.warning());
    if measured.lost {
        warnings.push(Warning::Lost);
    }
    if let Some(instrument) = measured.instrument {
        if !measured.is_local {
            let urls = &measured.options.experiment.urls;
            let host = urls.first().and_then(|line| line.url.host_str()).unwrap_or_default().to_owned();
            warnings.push(Warning::Remote { host });
        }
        if let Some(why) = measured.path.unknown.as_ref().filter(|_| measured.is_local) {
            warnings.push(Warning::PathUnknown { why: why.clone() });
        }
        for (probe, why) in instrument.unavailable() {
            warnings.push(Warning::Unavailable { probe: (*probe).to_owned(), why: why.clone() });
        }
    }
    warnings
}

/// One warning for all metrics with too few requests; it names the highest need.
fn few_requests(refused: &[(String, CannotCompare)]) -> Option<Warning> {
    let few = |why: &CannotCompare| match why {
        CannotCompare::TooFewLatencies { latencies, needed, .. } => Some((*latencies, *needed)),
        _ => None,
    };
    let names: Vec<String> = refused
        .iter()
        .filter(|(_, why)| few(why).is_some())
        .map(|(metric, _)| metric.replace("cold.latency.", "cold ").replace("latency.", ""))
        .collect();
    let (requests, needs) = refused.iter().filter_map(|(_, why)| few(why)).max_by_key(|(_, needed)| *needed)?;
    Some(Warning::FewRequests { what: names.join(", "), requests, needs })
}
