//! The principal function is [`functions`]: the share of each function in the requests, with intervals.

use unladen_lockin::{ShareEstimate, share};

use crate::frame::{FrameId, FrameKind};
use crate::profile::Profile;
use crate::tally::Tally;

/// Least number of requests for an interval.
pub const MIN_REQUESTS: usize = 6;

/// A function's share.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionRow {
    pub frame: FrameId,
    pub self_weight: u64,
    /// With everything it calls; a stack that contains it several times counts once.
    pub total_weight: u64,
    pub self_share: ShareEstimate,
    pub total_share: ShareEstimate,
    /// `None` if calls were not counted, or the number of requests is unknown.
    pub calls_per_request: Option<f64>,
    pub calls: Option<u64>,
    /// By the function's weight on behalf of each, largest first.
    pub callers: Vec<Caller>,
}

/// A caller of a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Caller {
    /// `None` if nobody called.
    pub frame: Option<FrameId>,
    /// Weight of the function, with everything it calls, on behalf of this caller.
    pub weight: u64,
    pub calls: Option<u64>,
}

/// The functions of a profile by total weight, largest first. Groups are no functions; functions without weight and
/// calls are left out.
///
/// The intervals come from resampled requests and need [`MIN_REQUESTS`] clusters.
pub fn functions(profile: &Profile) -> Vec<FunctionRow> {
    let mut tally = Tally::new(profile);
    let mut parts: Vec<Vec<Part>> = (0..profile.frames.len()).map(|_| Vec::new()).collect();
    let wholes: Vec<f64> = profile.clusters.iter().map(|cluster| cluster.total() as f64).collect();
    for (request, cluster) in profile.clusters.iter().enumerate() {
        tally.cluster(cluster, |_, _| (), |frame, weights| parts[frame.index()].push(Part { request, weights }));
    }
    let mut callers = callers(profile, &tally);
    let requests = profile.requests().filter(|requests| *requests > 0);
    let mut rows = Vec::new();
    let mut called = callers.as_mut_slice();
    let (mut selves, mut totals) = (Vec::new(), Vec::new());
    for (frame, _) in profile.frames.iter() {
        let of_function = &parts[frame.index()];
        let of_callers;
        (of_callers, called) = called.split_at_mut(called.partition_point(|call| call.callee == frame));
        if of_function.is_empty() && of_callers.is_empty() {
            continue;
        }
        selves.clear();
        totals.clear();
        let mut sums = [0_u64; 2];
        for part in of_function {
            for (sum, weight) in sums.iter_mut().zip(part.weights) {
                *sum = sum.saturating_add(weight);
            }
            if part.weights[0] > 0 {
                selves.push((part.request, part.weights[0] as f64));
            }
            totals.push((part.request, part.weights[1] as f64));
        }
        of_callers.sort_by_key(|call| std::cmp::Reverse((call.caller.weight, call.caller.calls)));
        let calls = of_callers.iter().filter_map(|call| call.caller.calls).reduce(u64::saturating_add);
        rows.push(FunctionRow {
            frame,
            self_weight: sums[0],
            total_weight: sums[1],
            self_share: share(&wholes, &selves),
            total_share: share(&wholes, &totals),
            calls_per_request: calls.zip(requests).map(|(calls, requests)| calls as f64 / requests as f64),
            calls,
            callers: of_callers.iter().map(|call| call.caller).collect(),
        });
    }
    let order = |row: &FunctionRow| {
        let frame = profile.frames.get(row.frame);
        (std::cmp::Reverse(row.total_weight), frame.name, frame.file)
    };
    rows.sort_by(|a, b| order(a).cmp(&order(b)));
    rows
}

struct Part {
    request: usize,
    weights: [u64; 2],
}

struct Call {
    callee: FrameId,
    caller: Caller,
}

/// Sorted by function, then by caller.
fn callers(profile: &Profile, tally: &Tally) -> Vec<Call> {
    let no_group = |frame: &FrameId| profile.frames.get(*frame).kind != FrameKind::Group;
    let mut calls: Vec<Call> = Vec::new();
    for (stack, weight) in profile.stacks.iter().zip(profile.total_weights()) {
        let Some(callee) = tally.outermost_function(stack).filter(|_| weight > 0) else { continue };
        calls.push(Call { callee, caller: Caller { frame: tally.caller(stack), weight, calls: None } });
    }
    for count in profile.clusters.iter().flat_map(|cluster| &cluster.calls) {
        if count.calls > 0 && no_group(&count.callee) {
            let frame = count.caller.filter(no_group);
            calls.push(Call { callee: count.callee, caller: Caller { frame, weight: 0, calls: Some(count.calls) } });
        }
    }
    calls.sort_unstable_by_key(|call| (call.callee, call.caller.frame));
    calls.dedup_by(|later, kept| {
        let same = (later.callee, later.caller.frame) == (kept.callee, kept.caller.frame);
        if same {
            let (later, kept) = (later.caller, &mut kept.caller);
            kept.weight = kept.weight.saturating_add(later.weight);
            kept.calls = match (kept.calls, later.calls) {
                (Some(one), Some(other)) => Some(one.saturating_add(other)),
                (one, other) => one.or(other),
            };
        }
        same
    });
    calls
}

#[cfg(test)]
mod tests;
