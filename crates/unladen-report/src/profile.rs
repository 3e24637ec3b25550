//! The principal types are [`Profiled`] and [`ProfileDiff`], the results of `unladen profile` and `unladen profile
//! diff`.

use unladen_document as document;
use unladen_document::{Function, FunctionChange, Moved, OpenSpan, ProfileDiffDocument, ProfileDocument};
use unladen_lockin::{DifferenceEstimate, ShareEstimate};
use unladen_profile::{Caller, Diff, DiffRow, Frame, FunctionRow, Profile, Unit};

/// Functions listed in the details, where nobody set how many.
pub(crate) const TOP: usize = 12;

/// Where the code of a page spends its time.
#[derive(Debug, Clone)]
pub struct Profiled {
    pub document: ProfileDocument,
    /// The stacks, for pictures; `None` of a kept document, which has none.
    pub profile: Option<Profile>,
    /// How many functions are listed; `None`: [`TOP`], or as many as the first screen has room for.
    pub top: Option<usize>,
}

/// What a change moved between two profiles.
#[derive(Debug, Clone)]
pub struct ProfileDiff {
    pub document: ProfileDiffDocument,
    /// Both profiles' stacks, for pictures; `None` of a kept document, which has none.
    pub diff: Option<Diff>,
    /// How many functions are listed; `None`: [`TOP`], or as many as the first screen has room for.
    pub top: Option<usize>,
}

impl Profiled {
    /// The figures of a profile, whose functions are from `unladen_profile::functions`.
    pub fn of(profile: Profile, functions: &[FunctionRow], top: Option<usize>) -> Self {
        let about = &profile.about;
        let document = ProfileDocument {
            schema: ProfileDocument::SCHEMA.to_owned(),
            target: about.title.clone(),
            profiler: about.profiler.clone(),
            unit: unit(about.unit).to_owned(),
            period_ns: about.period_ns,
            requests: profile.requests(),
            weight: profile.total(),
            functions: functions.iter().map(|row| function(&profile, row)).collect(),
            ..ProfileDocument::default()
        };
        Self { document, profile: Some(profile), top }
    }

    /// A kept document.
    pub(crate) fn kept(document: &ProfileDocument) -> Self {
        Self { document: document.clone(), profile: None, top: None }
    }

    /// Whether requests are distinguishable; without, there are no intervals.
    pub(crate) fn are_requests(&self) -> bool {
        self.profile.as_ref().map_or(self.document.requests.is_some(), |profile| profile.about.are_requests)
    }
}

impl ProfileDiff {
    /// The figures of a comparison.
    pub fn of(diff: Diff, top: Option<usize>) -> Self {
        let [baseline, candidate] = diff.titles.clone();
        let about = &diff.candidate.about;
        let document = ProfileDiffDocument {
            schema: ProfileDiffDocument::SCHEMA.to_owned(),
            baseline,
            candidate,
            profiler: about.profiler.clone(),
            unit: unit(about.unit).to_owned(),
            period_ns: about.period_ns,
            requests: diff.requests,
            per_request: diff.per_request,
            functions: diff.rows.iter().map(|row| change(&diff.candidate, row)).collect(),
            ..ProfileDiffDocument::default()
        };
        Self { document, diff: Some(diff), top }
    }

    /// A kept document.
    pub(crate) fn kept(document: &ProfileDiffDocument) -> Self {
        Self { document: document.clone(), diff: None, top: None }
    }
}

/// As documents have it.
fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Samples => "samples",
        Unit::Nanoseconds => "nanoseconds",
        Unit::CpuNanoseconds => "cpu-nanoseconds",
        Unit::Bytes => "bytes",
        Unit::Count => "count",
    }
}

fn function(profile: &Profile, row: &FunctionRow) -> Function {
    let Frame { name, file, line, kind } = profile.frames.get(row.frame);
    Function {
        name: name.to_owned(),
        file: file.to_owned(),
        line,
        kind: kind.into_str().to_owned(),
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
        kind: frame.map(|frame| frame.kind.into_str().to_owned()),
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
        kind: kind.into_str().to_owned(),
        own: moved(row.self_weight, &row.self_change),
        total: moved(row.total_weight, &row.total_change),
        changed: row.is_changed,
        calls_per_request: row.calls_per_request,
    }
}

fn moved([baseline, candidate]: [f64; 2], change: &DifferenceEstimate) -> Moved {
    let DifferenceEstimate { value, interval, p_value } = *change;
    Moved { baseline, candidate, difference: open(value, interval), p: Some(p_value) }
}

fn share(share: &ShareEstimate) -> OpenSpan {
    open(share.value, share.interval)
}

fn open(value: f64, interval: Option<(f64, f64)>) -> OpenSpan {
    OpenSpan { value, low: interval.map(|(low, _)| low), high: interval.map(|(_, high)| high) }
}
