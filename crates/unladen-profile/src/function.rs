//! The principal function is [`functions`]: how much of the requests each function takes, with intervals.

use unladen_lockin::ShareEstimate;

use crate::frame::FrameId;
use crate::profile::Profile;

/// Fewer requests than this carry no interval.
pub const MIN_REQUESTS: usize = 6;

/// A function's part.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionRow {
    /// The function.
    pub frame: FrameId,
    /// What it weighs by itself.
    pub self_weight: u64,
    /// What it weighs with all that it calls; a stack that has it several times counts once.
    pub total_weight: u64,
    /// The part of all weight that it takes by itself.
    pub self_share: ShareEstimate,
    /// The part with all that it calls.
    pub total_share: ShareEstimate,
    /// Calls a request; `None` where calls were not counted, or nobody knows how many requests there were.
    pub calls_per_request: Option<f64>,
    /// Calls in all, where they were counted.
    pub calls: Option<u64>,
    /// Who calls it, by what the function weighs on behalf of each, the largest first.
    pub callers: Vec<Caller>,
}

/// Who calls a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Caller {
    /// The caller; none of what nobody called.
    pub frame: Option<FrameId>,
    /// What the function, with all that it calls, weighs on behalf of this caller.
    pub weight: u64,
    /// How often it was called from there, where calls were counted.
    pub calls: Option<u64>,
}

/// The functions of a profile, by what they weigh with all that they call, the largest first. Groups are no functions.
///
/// The intervals are of requests drawn anew: they need [`MIN_REQUESTS`] clusters.
pub fn functions(profile: &Profile) -> Vec<FunctionRow> {
    let _ = profile;
    todo!()
}
