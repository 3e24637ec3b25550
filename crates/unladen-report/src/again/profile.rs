//! The results of `unladen profile`, [`profile`], and of `unladen profile diff`, [`diff`].

use std::time::Duration;

use unladen_document as kept;
use unladen_document::{OpenNs, OpenSpan, ProfileDiffDocument, ProfileDocument};
use unladen_lockin::{DifferenceEstimate, ShareEstimate};
use unladen_profile::{About, Caller, Diff, DiffRow, Frame, FrameId, FrameKind, FunctionRow, Profile, Unit};

use super::figure::ended;
use super::inside::finding;
use super::name::known_name as name;
use crate::profile::{ProfileDiff, ProfileSetup, Profiled};

pub(super) const TOP: usize = 20;

pub(super) fn profile(document: &ProfileDocument) -> Profiled {
    let mut profile = Profile::new(About {
        title: document.target.clone(),
        profiler: document.profiler.clone(),
        unit: unit(&document.unit),
        period_ns: document.period_ns,
        requests: document.requests,
        // Without distinguishable requests there are no intervals.
        are_requests: document.requests.is_some(),
    });
    let functions = document.functions.iter().map(|function| row(function, &mut profile)).collect();
    Profiled {
        setup: document.setup.as_ref().map(setup),
        functions,
        findings: document.findings.iter().map(finding).collect(),
        profile,
        notes: document.notes.clone(),
        written: written(&document.written),
        gates: document.gates.clone(),
        top: TOP,
    }
}

pub(super) fn diff(document: &ProfileDiffDocument) -> ProfileDiff {
    let mut profile = Profile::new(About {
        profiler: document.profiler.clone(),
        unit: unit(&document.unit),
        period_ns: document.period_ns,
        ..About::default()
    });
    let rows = document.functions.iter().map(|function| changed(function, &mut profile)).collect();
    let titles = [document.baseline.clone(), document.candidate.clone()];
    ProfileDiff {
        setups: document.setups.as_ref().map(|setups| setups.each_ref().map(setup)),
        diff: Diff::of_rows(profile, titles, document.requests, document.per_request, rows),
        notes: document.notes.clone(),
        written: written(&document.written),
        top: TOP,
    }
}

fn unit(text: &str) -> Unit {
    let all = [Unit::Samples, Unit::Nanoseconds, Unit::CpuNanoseconds, Unit::Bytes, Unit::Count];
    all.into_iter().find(|unit| unit.as_str() == text).unwrap_or_default()
}

fn frame(profile: &mut Profile, name: &str, file: &str, line: u32, kind: &str) -> FrameId {
    let all = [
        FrameKind::Function,
        FrameKind::Include,
        FrameKind::ClassLookup,
        FrameKind::Native,
        FrameKind::Kernel,
        FrameKind::Group,
    ];
    let kind = all.into_iter().find(|known| known.as_str() == kind).unwrap_or_default();
    profile.frames.intern(Frame { name, file, line, kind })
}

fn row(function: &kept::Function, profile: &mut Profile) -> FunctionRow {
    let frame_of = frame(profile, &function.name, &function.file, function.line, &function.kind);
    let mut callers = Vec::new();
    for caller in &function.callers {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let by = caller.name.as_ref().map(|name| {
            frame(profile, name, &text(&caller.file), caller.line.unwrap_or_default(), &text(&caller.kind))
        });
        callers.push(Caller { frame: by, weight: caller.weight, calls: caller.calls });
    }
    FunctionRow {
        frame: frame_of,
        self_weight: function.self_weight,
        total_weight: function.total_weight,
        self_share: share(function.self_share),
        total_share: share(function.total_share),
        calls_per_request: function.calls_per_request,
        calls: function.calls,
        callers,
    }
}

fn changed(function: &kept::FunctionChange, profile: &mut Profile) -> DiffRow {
    let moved = |moved: &kept::Moved| {
        let OpenSpan { value, low, high } = moved.difference;
        let change = DifferenceEstimate { value, interval: low.zip(high), p_value: moved.p.unwrap_or(1.0) };
        ([moved.baseline, moved.candidate], change)
    };
    let ((self_weight, self_change), (total_weight, total_change)) = (moved(&function.own), moved(&function.total));
    DiffRow {
        frame: frame(profile, &function.name, &function.file, function.line, &function.kind),
        self_weight,
        total_weight,
        self_change,
        total_change,
        is_changed: function.changed,
        calls_per_request: function.calls_per_request,
    }
}

fn share(share: OpenSpan) -> ShareEstimate {
    ShareEstimate { value: share.value, interval: share.low.zip(share.high) }
}

fn setup(setup: &kept::ProfileSetup) -> ProfileSetup {
    // With too few requests the interval is infinite.
    let ns = |OpenNs { value, low, high }: OpenNs| {
        let end = |ns: Option<u64>, otherwise: f64| ns.map_or(otherwise, |ns| ns as f64);
        (value as f64, end(low, f64::NEG_INFINITY), end(high, f64::INFINITY))
    };
    ProfileSetup {
        url: setup.url.clone(),
        group: setup.group.clone(),
        answer: setup.answer.clone(),
        how: setup.how.clone(),
        elapsed: Duration::from_nanos(setup.elapsed_ns),
        ended: ended(&setup.ended),
        plain_ns: ns(setup.plain_ns),
        profiled_ns: ns(setup.profiled_ns),
    }
}

fn written(written: &[kept::Written]) -> Vec<(String, &'static str)> {
    written.iter().map(|one| (one.file.clone(), name(&one.reads))).collect()
}
