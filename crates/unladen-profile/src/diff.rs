//! The principal function is [`diff`]: what a change moved, function by function and stack by stack.

use unladen_lockin::DifferenceEstimate;

use crate::frame::FrameId;
use crate::merge::MergeError;
use crate::profile::Profile;

/// Two profiles side by side, per request.
#[derive(Debug, Clone)]
pub struct Diff {
    /// The frames and stacks of both; its one cluster has the candidate's weights.
    pub candidate: Profile,
    /// What each stack weighs by itself in the baseline, by the stack's index: per request, or as a part of the whole.
    pub baseline_self: Vec<f64>,
    /// The same of the candidate.
    pub candidate_self: Vec<f64>,
    /// The titles.
    pub titles: [String; 2],
    /// Whether weights are per request; else, where nobody knows how many requests there were, parts of the whole.
    pub per_request: bool,
    /// The functions, the largest change first.
    pub rows: Vec<DiffRow>,
    told: Vec<bool>,
}

/// What moved of one function.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffRow {
    /// The function, of `candidate.frames`.
    pub frame: FrameId,
    /// By itself, per request (or as a part): the baseline's, the candidate's.
    pub self_weight: [f64; 2],
    /// With all that it calls.
    pub total_weight: [f64; 2],
    /// The change of what it weighs by itself.
    pub self_change: DifferenceEstimate,
    /// The change of what it weighs with all that it calls.
    pub total_change: DifferenceEstimate,
    /// Whether the change of either is told from none, with false discoveries under control over all functions (Benjamini and
    /// Hochberg, 5 %); never where there is no interval.
    pub is_changed: bool,
    /// Calls a request, where both counted.
    pub calls_per_request: Option<[f64; 2]>,
}

// === impl Diff ===

impl Diff {
    /// What each stack weighs with all that lie on it, by the stack's index, in the same measure as
    /// [`baseline_self`](Self::baseline_self): the baseline's, the candidate's.
    pub fn stack_totals(&self) -> (Vec<f64>, Vec<f64>) {
        (self.totals(&self.baseline_self), self.totals(&self.candidate_self))
    }

    /// Whether the change of each stack, with all that lie on it, is told from none, by the stack's index; never where there
    /// is no interval.
    pub fn told(&self) -> &[bool] {
        &self.told
    }

    fn totals(&self, of_themselves: &[f64]) -> Vec<f64> {
        let stacks = &self.candidate.stacks;
        let mut totals = of_themselves.to_vec();
        for stack in stacks.iter().rev() {
            if let Some(below) = stacks.below(stack) {
                totals[below.index()] += totals[stack.index()];
            }
        }
        totals
    }
}

/// The change from `baseline` to `candidate`.
///
/// # Errors
/// When they count different things.
pub fn diff(baseline: &Profile, candidate: &Profile) -> Result<Diff, MergeError> {
    let _ = (baseline, candidate);
    todo!()
}
