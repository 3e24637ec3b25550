//! `unladen.profile/1`: [`document`], and `unladen.profile-diff/1`: [`difference`].

use unladen_document as document;
use unladen_document::{
    About, Function, FunctionChange, Moved, OpenNs, OpenSpan, ProfileDiffDocument, ProfileDocument, Written,
};
use unladen_lockin::{DifferenceEstimate, ShareEstimate};
use unladen_profile::{Caller, DiffRow, Frame, FunctionRow, Profile};

use super::figure::{nanos, word};
use super::inside;
use crate::profile::{ProfileDiff, ProfileSetup, Profiled};

/// Document versions. They change if a field is removed or changes its meaning, not if one is added.
const SCHEMA: &str = "unladen.profile/1";
const DIFF_SCHEMA: &str = "unladen.profile-diff/1";

pub(super) fn document(result: &Profiled, about: &About) -> ProfileDocument {
    let profile = &result.profile;
    let target = result.setup.as_ref().map_or(profile.about.title.as_str(), |setup| &setup.url);
    ProfileDocument {
        schema: SCHEMA.to_owned(),
        about: about.clone(),
        target: target.to_owned(),
        profiler: profile.about.profiler.clone(),
        unit: word(profile.about.unit),
        period_ns: profile.about.period_ns,
        requests: profile.requests(),
        weight: profile.total(),
        setup: result.setup.as_ref().map(setup),
        functions: result.functions.iter().map(|row| function(profile, row)).collect(),
        findings: result.findings.iter().map(|found| inside::finding(target, inside::WARM, found)).collect(),
        gates: result.gates.clone(),
        notes: result.notes.clone(),
        written: written(&result.written),
    }
}

pub(super) fn difference(result: &ProfileDiff, about: &About) -> ProfileDiffDocument {
    let diff = &result.diff;
    let [baseline, candidate] = &diff.titles;
    let counted = &diff.candidate.about;
    ProfileDiffDocument {
        schema: DIFF_SCHEMA.to_owned(),
        about: about.clone(),
        baseline: baseline.clone(),
        candidate: candidate.clone(),
        profiler: counted.profiler.clone(),
        unit: word(counted.unit),
        period_ns: counted.period_ns,
        requests: diff.requests,
        per_request: diff.per_request,
        setups: result.setups.as_ref().map(|setups| setups.each_ref().map(setup)),
        functions: diff.rows.iter().map(|row| change(&diff.candidate, row)).collect(),
        notes: result.notes.clone(),
        written: written(&result.written),
    }
}

fn setup(setup: &ProfileSetup) -> document::ProfileSetup {
    let ns = |(value, low, high): (f64, f64, f64)| {
        // With too few requests the interval is infinite.
        let end = |ns: f64| Some(ns).filter(|ns| ns.is_finite()).map(|ns| ns.round() as u64);
        OpenNs { value: value.round() as u64, low: end(low), high: end(high) }
    };
    document::ProfileSetup {
        url: setup.url.clone(),
        group: setup.group.clone(),
        answer: setup.answer.clone(),
        how: setup.how.clone(),
        elapsed_ns: nanos(setup.elapsed),
        ended: setup.ended.as_str().to_owned(),
        plain_ns: ns(setup.plain_ns),
        profiled_ns: ns(setup.profiled_ns),
        overhead: setup.overhead().map(|(value, low, high)| OpenSpan { value, low: Some(low), high: Some(high) }),
    }
}

fn function(profile: &Profile, row: &FunctionRow) -> Function {
    let Frame { name, file, line, kind } = profile.frames.get(row.frame);
    Function {
        name: name.to_owned(),
        file: file.to_owned(),
        line,
        kind: kind.as_str().to_owned(),
        self_weight: row.self_weight,
        total_weight: row.total_weight,
        self_share: share(&row.self_share),
        total_share: share(&row.total_share),
        calls: row.calls,
        calls_per_request: row.calls_per_request,
        callers: row.callers.iter().map(|caller| called_by(profile, caller)).collect(),
    }
}

fn called_by(profile: &Profile, caller: &Caller) -> document::Caller {
    let frame = caller.frame.map(|frame| profile.frames.get(frame));
    document::Caller {
        name: frame.map(|frame| frame.name.to_owned()),
        file: frame.map(|frame| frame.file.to_owned()),
        line: frame.map(|frame| frame.line),
        kind: frame.map(|frame| frame.kind.as_str().to_owned()),
        weight: caller.weight,
        calls: caller.calls,
    }
}

fn change(profile: &Profile, row: &DiffRow) -> FunctionChange {
    let Frame { name, file, line, kind } = profile.frames.get(row.frame);
    FunctionChange {
        name: name.to_owned(),
        file: file.to_owned(),
        line,
        kind: kind.as_str().to_owned(),
        own: moved(row.self_weight, &row.self_change),
        total: moved(row.total_weight, &row.total_change),
        changed: row.is_changed,
        calls_per_request: row.calls_per_request,
    }
}

fn moved([baseline, candidate]: [f64; 2], change: &DifferenceEstimate) -> Moved {
    let DifferenceEstimate { value, interval, p_value } = *change;
    Moved { baseline, candidate, difference: part(value, interval), p: Some(p_value) }
}

fn share(share: &ShareEstimate) -> OpenSpan {
    part(share.value, share.interval)
}

fn part(value: f64, interval: Option<(f64, f64)>) -> OpenSpan {
    OpenSpan { value, low: interval.map(|(low, _)| low), high: interval.map(|(_, high)| high) }
}

fn written(written: &[(String, &'static str)]) -> Vec<Written> {
    written.iter().map(|(file, reads)| Written { file: file.clone(), reads: (*reads).to_owned() }).collect()
}

#[cfg(test)]
mod tests;
