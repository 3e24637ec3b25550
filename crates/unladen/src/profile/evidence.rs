//! [`of`]: the evidence that rules read in a profile.

use unladen_lockin::ShareEstimate;
use unladen_profile::{FrameKind, FunctionRow, Profile, StackId, Unit};
use unladen_trace::{
    CallerSeen, Evidence, EvidenceSource, FunctionSeen, GroupSeen, Interval, Page, ProfileSeen, State,
};

use crate::profile::session::Measured;

pub(super) fn of(measured: &Measured, rows: &[FunctionRow]) -> Evidence {
    let profile = &measured.profile;
    let setup = &measured.setup;
    let (value, ends) = (setup.plain_ns.value as f64, setup.plain_ns.low.zip(setup.plain_ns.high));
    let latency = ends.map(|(low, high)| Interval { value, low: low as f64, high: high as f64 });
    let seen = ProfileSeen {
        group: 0,
        profiler: profile.about.profiler.clone(),
        of_cpu: measured.of_cpu,
        whole: if measured.of_cpu { cpu(profile) } else { exact(value) },
        lookups: lookups(profile).map(interval),
        functions: rows.iter().map(|row| function(profile, row)).collect(),
    };
    Evidence {
        page: Page {
            url: setup.url.clone(),
            method: measured.request.0.clone(),
            carried: measured.request.1.clone(),
            requests: profile.requests().unwrap_or(0),
            latency,
            ..Page::default()
        },
        state: if measured.fresh { State::Fresh } else { State::Warm },
        groups: vec![GroupSeen { name: setup.group.clone(), ..GroupSeen::default() }],
        sources: vec![EvidenceSource::Profile],
        profile: Some(seen),
        ..Evidence::default()
    }
}

/// CPU time of a request: the sum of a profile of CPU time.
fn cpu(profile: &Profile) -> Option<Interval> {
    let ns = match profile.about.unit {
        Unit::CpuNanoseconds => 1,
        Unit::Samples => profile.about.period_ns?,
        _ => return None,
    };
    exact(profile.total() as f64 * ns as f64 / profile.requests()? as f64)
}

/// A time without an interval: only its value is used.
fn exact(ns: f64) -> Option<Interval> {
    (ns.is_finite() && ns > 0.0).then_some(Interval { value: ns, low: ns, high: ns })
}

/// Share of autoloaders, without the code of the files that they load; `None` without such frames.
fn lookups(profile: &Profile) -> Option<ShareEstimate> {
    let frames = &profile.frames;
    frames.iter().find(|(_, frame)| frame.kind == FrameKind::ClassLookup)?;
    // By the stack's index, whether the innermost of its includes and look-ups is a look-up; below comes before above.
    let mut is_lookup = vec![false; profile.stacks.len()];
    for stack in profile.stacks.iter() {
        let Some((frame, below)) = profile.stacks.frame(stack).zip(profile.stacks.below(stack)) else { continue };
        is_lookup[stack.index()] = match frames.get(frame).kind {
            FrameKind::ClassLookup => true,
            FrameKind::Include => false,
            _ => is_lookup[below.index()],
        };
    }
    let wholes: Vec<f64> = profile.clusters.iter().map(|cluster| cluster.total() as f64).collect();
    let part = |weights: &[(StackId, u64)]| -> u64 {
        weights.iter().filter(|(stack, _)| is_lookup[stack.index()]).map(|(_, weight)| weight).sum()
    };
    let parts: Vec<(usize, f64)> =
        profile.clusters.iter().map(|cluster| part(&cluster.weights) as f64).enumerate().collect();
    Some(unladen_lockin::share(&wholes, &parts))
}

fn function(profile: &Profile, row: &FunctionRow) -> FunctionSeen {
    let frame = profile.frames.get(row.frame);
    let requests = profile.requests().filter(|requests| *requests > 0);
    let per_request = |calls: Option<u64>| Some(calls? as f64 / requests? as f64);
    let total = profile.total().max(1) as f64;
    let caller = |caller: &unladen_profile::Caller| CallerSeen {
        name: caller.frame.map_or_else(|| "nobody".to_owned(), |frame| profile.frames.get(frame).name.to_owned()),
        part: caller.weight as f64 / total,
        calls: per_request(caller.calls),
    };
    FunctionSeen {
        name: frame.name.to_owned(),
        file: frame.file.to_owned(),
        own: interval(row.self_share),
        all: interval(row.total_share),
        calls: row.calls_per_request,
        callers: row.callers.iter().map(caller).collect(),
    }
}

/// Without an interval it may be anything, so no rule finds it.
fn interval(share: ShareEstimate) -> Interval {
    let (low, high) = share.interval.unwrap_or((0.0, 1.0));
    Interval { value: share.value, low, high }
}
