//! `unladen.profile/1` and `unladen.profile-diff/1`.

use serde::Serialize;
use unladen_document::{About, Answer};
use unladen_lockin::{DifferenceEstimate, ShareEstimate};
use unladen_profile::{Caller, DiffRow, FrameId, FunctionRow, Profile, Unit};

use super::figure::nanos;
use super::gate::{GateJson, of_page};
use super::inside::{self, FindingJson};
use crate::profile::{ProfileDiff, ProfileSetup, Profiled};

/// Document versions. They change if a field is removed or changes its meaning, not if one is added.
const SCHEMA: &str = "unladen.profile/1";
const DIFF_SCHEMA: &str = "unladen.profile-diff/1";

#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema: &'static str,
    #[serde(flatten)]
    about: &'a About,
    target: &'a str,
    #[serde(flatten)]
    counted: CountedJson<'a>,
    requests: Option<u64>,
    weight: u64,
    setup: Option<SetupJson<'a>>,
    functions: Vec<FunctionJson<'a>>,
    findings: Vec<FindingJson<'a>>,
    gates: Vec<GateJson<'a>>,
    notes: &'a [String],
    written: Vec<WrittenJson<'a>>,
}

#[derive(Serialize)]
pub(super) struct DiffDocument<'a> {
    schema: &'static str,
    #[serde(flatten)]
    about: &'a About,
    baseline: &'a str,
    candidate: &'a str,
    #[serde(flatten)]
    counted: CountedJson<'a>,
    requests: [Option<u64>; 2],
    per_request: bool,
    setups: Option<[SetupJson<'a>; 2]>,
    functions: Vec<ChangeJson<'a>>,
    notes: &'a [String],
    written: Vec<WrittenJson<'a>>,
}

#[derive(Serialize)]
struct CountedJson<'a> {
    profiler: &'a str,
    unit: Unit,
    period_ns: Option<u64>,
}

#[derive(Serialize)]
struct SetupJson<'a> {
    url: &'a str,
    group: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a Answer>,
    how: &'a str,
    elapsed_ns: u64,
    ended: &'static str,
    plain_ns: NsJson,
    profiled_ns: NsJson,
    overhead: Option<PartJson>,
}

#[derive(Serialize)]
struct NsJson {
    value: u64,
    low: Option<u64>,
    high: Option<u64>,
}

/// The ends are null without an interval.
#[derive(Serialize)]
struct PartJson {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
}

#[derive(Serialize)]
struct PlaceJson<'a> {
    name: &'a str,
    file: &'a str,
    line: u32,
    kind: &'static str,
}

#[derive(Serialize)]
struct FunctionJson<'a> {
    #[serde(flatten)]
    place: PlaceJson<'a>,
    self_weight: u64,
    total_weight: u64,
    self_share: PartJson,
    total_share: PartJson,
    calls: Option<u64>,
    calls_per_request: Option<f64>,
    callers: Vec<CallerJson<'a>>,
}

#[derive(Serialize)]
struct CallerJson<'a> {
    #[serde(flatten)]
    place: Option<PlaceJson<'a>>,
    weight: u64,
    calls: Option<u64>,
}

#[derive(Serialize)]
struct ChangeJson<'a> {
    #[serde(flatten)]
    place: PlaceJson<'a>,
    #[serde(rename = "self")]
    own: MovedJson,
    total: MovedJson,
    changed: bool,
    calls_per_request: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct MovedJson {
    baseline: f64,
    candidate: f64,
    difference: PartJson,
    p: f64,
}

#[derive(Serialize)]
struct WrittenJson<'a> {
    file: &'a str,
    reads: &'static str,
}

impl<'a> Document<'a> {
    pub(super) fn of(result: &'a Profiled, about: &'a About) -> Self {
        let profile = &result.profile;
        let target = result.setup.as_ref().map_or(profile.about.title.as_str(), |setup| &setup.url);
        Self {
            schema: SCHEMA,
            about,
            target,
            counted: counted(profile),
            requests: profile.requests(),
            weight: profile.total(),
            setup: result.setup.as_ref().map(setup),
            functions: result.functions.iter().map(|row| function(profile, row)).collect(),
            findings: result.findings.iter().map(|found| inside::finding(target, inside::WARM, found)).collect(),
            gates: result.gates.iter().map(of_page).collect(),
            notes: &result.notes,
            written: written(&result.written),
        }
    }
}

impl<'a> DiffDocument<'a> {
    pub(super) fn of(result: &'a ProfileDiff, about: &'a About) -> Self {
        let diff = &result.diff;
        let [baseline, candidate] = &diff.titles;
        Self {
            schema: DIFF_SCHEMA,
            about,
            baseline,
            candidate,
            counted: counted(&diff.candidate),
            requests: diff.requests,
            per_request: diff.per_request,
            setups: result.setups.as_ref().map(|setups| setups.each_ref().map(setup)),
            functions: diff.rows.iter().map(|row| change(&diff.candidate, row)).collect(),
            notes: &result.notes,
            written: written(&result.written),
        }
    }
}

fn counted(profile: &Profile) -> CountedJson<'_> {
    let about = &profile.about;
    CountedJson { profiler: &about.profiler, unit: about.unit, period_ns: about.period_ns }
}

fn setup(setup: &ProfileSetup) -> SetupJson<'_> {
    let ns = |(value, low, high): (f64, f64, f64)| {
        // With too few requests the interval is infinite.
        let end = |ns: f64| Some(ns).filter(|ns| ns.is_finite()).map(|ns| ns.round() as u64);
        NsJson { value: value.round() as u64, low: end(low), high: end(high) }
    };
    SetupJson {
        url: &setup.url,
        group: &setup.group,
        answer: setup.answer.as_ref(),
        how: &setup.how,
        elapsed_ns: nanos(setup.elapsed),
        ended: setup.ended.as_str(),
        plain_ns: ns(setup.plain_ns),
        profiled_ns: ns(setup.profiled_ns),
        overhead: setup.overhead().map(|(value, low, high)| PartJson { value, low: Some(low), high: Some(high) }),
    }
}

fn function<'a>(profile: &'a Profile, row: &'a FunctionRow) -> FunctionJson<'a> {
    FunctionJson {
        place: place(profile, row.frame),
        self_weight: row.self_weight,
        total_weight: row.total_weight,
        self_share: share(&row.self_share),
        total_share: share(&row.total_share),
        calls: row.calls,
        calls_per_request: row.calls_per_request,
        callers: row.callers.iter().map(|caller| called_by(profile, caller)).collect(),
    }
}

fn called_by<'a>(profile: &'a Profile, caller: &Caller) -> CallerJson<'a> {
    CallerJson { place: caller.frame.map(|frame| place(profile, frame)), weight: caller.weight, calls: caller.calls }
}

fn change<'a>(profile: &'a Profile, row: &DiffRow) -> ChangeJson<'a> {
    ChangeJson {
        place: place(profile, row.frame),
        own: moved(row.self_weight, &row.self_change),
        total: moved(row.total_weight, &row.total_change),
        changed: row.is_changed,
        calls_per_request: row.calls_per_request,
    }
}

fn moved([baseline, candidate]: [f64; 2], change: &DifferenceEstimate) -> MovedJson {
    let DifferenceEstimate { value, interval, p_value } = *change;
    MovedJson { baseline, candidate, difference: part(value, interval), p: p_value }
}

fn place(profile: &Profile, frame: FrameId) -> PlaceJson<'_> {
    let frame = profile.frames.get(frame);
    PlaceJson { name: frame.name, file: frame.file, line: frame.line, kind: frame.kind.as_str() }
}

fn share(share: &ShareEstimate) -> PartJson {
    part(share.value, share.interval)
}

fn part(value: f64, interval: Option<(f64, f64)>) -> PartJson {
    PartJson { value, low: interval.map(|(low, _)| low), high: interval.map(|(_, high)| high) }
}

fn written<'a>(written: &'a [(String, &'static str)]) -> Vec<WrittenJson<'a>> {
    written.iter().map(|(file, reads)| WrittenJson { file, reads }).collect()
}

#[cfg(test)]
mod tests;
