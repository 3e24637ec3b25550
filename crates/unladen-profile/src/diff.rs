//! The principal function is [`diff`]: changes between two profiles, by function and by stack.

use unladen_lockin::{DifferenceEstimate, FALSE_DISCOVERY_RATE, Moments, benjamini_hochberg, difference_of};

use crate::frame::FrameId;
use crate::merge::{MergeError, join};
use crate::profile::{About, Cluster, Profile};
use crate::tally::Tally;

/// Two profiles side by side, per request.
#[derive(Debug, Clone)]
pub struct Diff {
    /// Frames and stacks of both; its one cluster has the candidate's weights.
    pub candidate: Profile,
    /// Each stack's own weight in the baseline, by stack index: per request, or as a part of the whole.
    pub baseline_self: Vec<f64>,
    /// The same for the candidate.
    pub candidate_self: Vec<f64>,
    pub titles: [String; 2],
    pub requests: [Option<u64>; 2],
    /// Whether weights are per request; otherwise, with unknown numbers of requests, they are parts of the whole.
    pub per_request: bool,
    /// Functions: significant changes first, then by the change of their own weight, largest first.
    pub rows: Vec<DiffRow>,
    told: Vec<bool>,
}

/// The change of one function.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffRow {
    /// Index in `candidate.frames`.
    pub frame: FrameId,
    /// Own weight per request (or as a part): baseline, candidate.
    pub self_weight: [f64; 2],
    /// With everything it calls.
    pub total_weight: [f64; 2],
    pub self_change: DifferenceEstimate,
    pub total_change: DifferenceEstimate,
    /// Whether either change is significant, with false discoveries controlled over all functions (Benjamini and
    /// Hochberg, 5 %); never without an interval.
    pub is_changed: bool,
    /// If both counted calls.
    pub calls_per_request: Option<[f64; 2]>,
}

impl Diff {
    /// Whether the change of each stack, with everything on it, is significant, by stack index: false discoveries are
    /// controlled over all stacks wide enough to be seen (Benjamini and Hochberg, 5 %). Never without an interval.
    pub fn told(&self) -> &[bool] {
        &self.told
    }
}

/// The change from `baseline` to `candidate`. Samples of different known periods are compared as ns.
///
/// Changes have an interval if each cluster is a request and both have [`MIN_REQUESTS`](crate::MIN_REQUESTS). Fails if
/// they count different things.
pub fn diff(baseline: &Profile, candidate: &Profile) -> Result<Diff, MergeError> {
    let joint = join(&[baseline, candidate])?;
    let requests = [baseline, candidate].map(|profile| profile.requests().filter(|requests| *requests > 0));
    let [of_baseline, of_candidate] = {
        let (first, second) = joint.clusters.split_at(baseline.clusters.len());
        [first, second]
    };
    let wholes =
        [of_baseline, of_candidate].map(|clusters| clusters.iter().map(|cluster| cluster.total() as f64).sum());
    let (per_request, divisors) = match requests {
        [Some(before), Some(after)] => (true, [before as f64, after as f64]),
        _ => (false, wholes),
    };
    let are_single = |profile: &Profile, requests: Option<u64>| {
        profile.about.are_requests && requests == Some(profile.clusters.len() as u64)
    };
    // Parts of a whole are the same in any unit.
    let of_one = if per_request { joint.about.of_one() as f64 } else { 1.0 };
    let is_resampled = are_single(baseline, requests[0]) && are_single(candidate, requests[1]);
    let measure = Measure { divisors, requests: [of_baseline.len(), of_candidate.len()], is_resampled };

    let mut tally = Tally::new(&joint);
    let mut by_stack = vec![[Side::default(); 2]; joint.stacks.len()];
    let mut by_function = vec![[[Side::default(); 2]; 2]; joint.frames.len()];
    for (side, clusters) in [of_baseline, of_candidate].into_iter().enumerate() {
        for cluster in clusters {
            tally.cluster(
                cluster,
                |stack, [_, total]| by_stack[stack.index()][side].add(total, of_one),
                |frame, weights| {
                    for (of_function, weight) in by_function[frame.index()].iter_mut().zip(weights) {
                        of_function[side].add(weight, of_one);
                    }
                },
            );
        }
    }
    let told = told(&by_stack, &measure);
    let calls = calls_per_request(&joint, [of_baseline, of_candidate], requests);
    let rows = rows(&joint, &by_function, &measure, &calls);

    let [baseline_self, candidate_self] =
        [(of_baseline, divisors[0]), (of_candidate, divisors[1])].map(|(clusters, divisor)| {
            let mut weights = vec![0.0; joint.stacks.len()];
            for (stack, weight) in clusters.iter().flat_map(|cluster| &cluster.weights) {
                weights[stack.index()] += *weight as f64 / of_one / divisor.max(1.0);
            }
            weights
        });
    let mut whole = Cluster::default();
    for cluster in of_candidate {
        whole.weights.extend_from_slice(&cluster.weights);
        whole.calls.extend_from_slice(&cluster.calls);
    }
    whole.compact();
    let about = About {
        unit: joint.about.unit,
        period_ns: joint.about.period_ns,
        requests: requests[1],
        are_requests: false,
        decimals: joint.about.decimals,
        ..candidate.about.clone()
    };
    let (frames, stacks) = (joint.frames, joint.stacks);
    Ok(Diff {
        candidate: Profile { about, frames, stacks, clusters: vec![whole], notes: Vec::new() },
        baseline_self,
        candidate_self,
        titles: [baseline.about.title.clone(), candidate.about.title.clone()],
        requests,
        per_request,
        rows,
        told,
    })
}

/// A stack or function below this part of both wholes is too narrow to be seen in a graph, and is not tested: each test
/// raises the threshold of all others. Both sides together decide which are left out, which says nothing of their
/// difference (Bourgon, Gentleman & Huber 2010, *PNAS* 107:9546).
const LEAST_PART: f64 = 1e-4;

struct Measure {
    /// Weights are divided by these: requests, or wholes.
    divisors: [f64; 2],
    requests: [usize; 2],
    /// Whether clusters are the requests by which weights are divided.
    is_resampled: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Side {
    sum: f64,
    moments: Moments,
}

impl Side {
    /// Adds a weight, `of_one` of which are one of the unit.
    fn add(&mut self, weight: u64, of_one: f64) {
        if weight > 0 {
            self.sum += weight as f64 / of_one;
            self.moments.add(weight as f64 / of_one);
        }
    }
}

impl Measure {
    fn weights(&self, sides: &[Side; 2]) -> [f64; 2] {
        [0, 1].map(|side| sides[side].sum / self.divisors[side].max(1.0))
    }

    fn change(&self, sides: &[Side; 2]) -> DifferenceEstimate {
        if self.is_resampled {
            return difference_of((self.requests[0], &sides[0].moments), (self.requests[1], &sides[1].moments));
        }
        let [before, after] = self.weights(sides);
        DifferenceEstimate { value: after - before, interval: None, p_value: 1.0 }
    }
}

/// By stack, whether the change of everything on it is significant, with false discoveries controlled.
fn told(by_stack: &[[Side; 2]], measure: &Measure) -> Vec<bool> {
    let mut told = vec![false; by_stack.len()];
    let Some(whole) = by_stack.first().map(|root| measure.weights(root)).filter(|_| measure.is_resampled) else {
        return told;
    };
    let looked_at: Vec<usize> = (0..by_stack.len())
        .filter(|stack| {
            let weights = measure.weights(&by_stack[*stack]);
            weights[0] + weights[1] > LEAST_PART * (whole[0] + whole[1])
        })
        .collect();
    let p_values: Vec<f64> = looked_at.iter().map(|stack| measure.change(&by_stack[*stack]).p_value).collect();
    for (stack, p) in looked_at.iter().zip(benjamini_hochberg(&p_values)) {
        told[*stack] = p <= FALSE_DISCOVERY_RATE;
    }
    told
}

fn calls_per_request(joint: &Profile, sides: [&[Cluster]; 2], requests: [Option<u64>; 2]) -> Vec<Option<[f64; 2]>> {
    let mut sums = vec![[0_u64; 2]; joint.frames.len()];
    for (side, clusters) in sides.into_iter().enumerate() {
        for count in clusters.iter().flat_map(|cluster| &cluster.calls) {
            let sum = &mut sums[count.callee.index()][side];
            *sum = sum.saturating_add(count.calls);
        }
    }
    let counted = sides.iter().all(|clusters| clusters.iter().any(|cluster| !cluster.calls.is_empty()));
    let [Some(before), Some(after)] = requests else { return vec![None; sums.len()] };
    let per_request = |[old, new]: [u64; 2]| [old as f64 / before as f64, new as f64 / after as f64];
    sums.into_iter().map(|sums| (counted && sums != [0; 2]).then(|| per_request(sums))).collect()
}

fn rows(
    joint: &Profile,
    by_function: &[[[Side; 2]; 2]],
    measure: &Measure,
    calls: &[Option<[f64; 2]>],
) -> Vec<DiffRow> {
    let mut rows: Vec<DiffRow> = joint
        .frames
        .iter()
        .filter(|(frame, _)| {
            by_function[frame.index()][1].iter().any(|side| side.sum > 0.0) || calls[frame.index()].is_some()
        })
        .map(|(frame, _)| {
            let [of_itself, in_all] = &by_function[frame.index()];
            DiffRow {
                frame,
                self_weight: measure.weights(of_itself),
                total_weight: measure.weights(in_all),
                self_change: measure.change(of_itself),
                total_change: measure.change(in_all),
                is_changed: false,
                calls_per_request: calls[frame.index()],
            }
        })
        .collect();
    // Functions without own weight on either side need no test.
    let p_values: Vec<f64> = rows
        .iter()
        .flat_map(|row| [(row.self_weight, row.self_change), (row.total_weight, row.total_change)])
        .filter(|(weight, _)| *weight != [0.0; 2])
        .map(|(_, change)| change.p_value)
        .collect();
    let mut adjusted = benjamini_hochberg(&p_values).into_iter();
    for row in &mut rows {
        for weight in [row.self_weight, row.total_weight] {
            if weight != [0.0; 2] {
                row.is_changed |= adjusted.next().is_some_and(|p| measure.is_resampled && p <= FALSE_DISCOVERY_RATE);
            }
        }
    }
    rows.sort_by(|a, b| {
        let moved = |row: &DiffRow| (row.is_changed, row.self_change.value.abs(), row.total_change.value.abs());
        let ((a_changed, a_self, a_total), (b_changed, b_self, b_total)) = (moved(a), moved(b));
        let names = || {
            let (a, b) = (joint.frames.get(a.frame), joint.frames.get(b.frame));
            (a.name, a.file).cmp(&(b.name, b.file))
        };
        b_changed
            .cmp(&a_changed)
            .then_with(|| b_self.total_cmp(&a_self))
            .then_with(|| b_total.total_cmp(&a_total))
            .then_with(names)
    });
    rows
}

#[cfg(test)]
mod tests;
