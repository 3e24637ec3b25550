//! The principal type is [`Profile`].

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::frame::{FrameId, Frames};
use crate::stack::{StackId, Stacks};

/// What was seen on the stacks while requests were answered.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// What it is a profile of.
    pub about: About,
    pub frames: Frames,
    pub stacks: Stacks,
    /// What was seen, request by request: the unit of resampling, since the samples of a request depend on one another.
    /// Where a file does not tell requests apart, it is one cluster.
    pub clusters: Vec<Cluster>,
    /// What its reader has left out or doubts, a line each; a file of it does not keep them.
    pub notes: Vec<String>,
}

/// What a profile is of, and in what it is counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct About {
    /// What people call it: the URL, an arm's name, the name of a file.
    pub title: String,
    /// Which profiler: `excimer`, `nytprof`, `perf`; empty if the file does not say.
    pub profiler: String,
    /// What a weight counts.
    pub unit: Unit,
    /// What a sample stands for, ns; none if weights are no samples, or it is not known.
    pub period_ns: Option<u64>,
    /// Requests that the clusters stand for, where they are not one each; none: as many as there are clusters, or, with
    /// [`are_requests`](Self::are_requests) false, nobody knows.
    pub requests: Option<u64>,
    /// Whether each cluster is one request.
    pub are_requests: bool,
}

/// What a weight counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Samples, of [`About::period_ns`] each.
    #[default]
    Samples,
    /// ns of time.
    Nanoseconds,
    /// ns of CPU time.
    CpuNanoseconds,
    Bytes,
    /// Events of any kind.
    Count,
}

/// One request, or all that a file has.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cluster {
    /// What each stack weighs by itself, without those above it. A stack may be there several times, and then counts as
    /// the sum.
    pub weights: Vec<(StackId, u64)>,
    /// How often functions were called, where the profiler counts.
    pub calls: Vec<CallCount>,
}

/// How often a function called another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallCount {
    /// Who; none of what nobody called.
    pub caller: Option<FrameId>,
    /// Whom.
    pub callee: FrameId,
    /// How often.
    pub calls: u64,
}

/// The index of a cluster in [`Profile::clusters`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClusterId(usize);

impl Profile {
    /// Without stacks.
    pub fn new(about: About) -> Self {
        Self { about, ..Self::default() }
    }

    /// The next cluster.
    pub fn begin_request(&mut self) -> ClusterId {
        self.clusters.push(Cluster::default());
        ClusterId(self.clusters.len() - 1)
    }

    /// Adds a weight to a stack of a cluster.
    pub fn add(&mut self, cluster: ClusterId, stack: StackId, weight: u64) {
        self.clusters[cluster.0].weights.push((stack, weight));
    }

    /// Adds calls to a cluster.
    pub fn add_calls(&mut self, cluster: ClusterId, count: CallCount) {
        self.clusters[cluster.0].calls.push(count);
    }

    /// The sum of all weights. Sums of weights stay at the largest `u64` where they would be larger.
    pub fn total(&self) -> u64 {
        self.clusters.iter().map(Cluster::total).fold(0, u64::saturating_add)
    }

    /// How many requests it is of, if anybody knows.
    pub fn requests(&self) -> Option<u64> {
        self.about.requests.or_else(|| self.about.are_requests.then_some(self.clusters.len() as u64))
    }

    /// What each stack weighs by itself in all clusters, by the stack's index.
    pub fn self_weights(&self) -> Vec<u64> {
        let mut weights = vec![0; self.stacks.len()];
        for (stack, weight) in self.clusters.iter().flat_map(|cluster| &cluster.weights) {
            let sum = &mut weights[stack.index()];
            *sum = u64::saturating_add(*sum, *weight);
        }
        weights
    }

    /// What each stack weighs with all that lie on it, by the stack's index.
    pub fn total_weights(&self) -> Vec<u64> {
        let mut weights = self.self_weights();
        for stack in self.stacks.iter().rev() {
            if let Some(below) = self.stacks.below(stack) {
                weights[below.index()] = weights[below.index()].saturating_add(weights[stack.index()]);
            }
        }
        weights
    }

    /// Whether calls were counted.
    pub fn has_calls(&self) -> bool {
        self.clusters.iter().any(|cluster| !cluster.calls.is_empty())
    }
}

impl Cluster {
    /// The sum of its weights.
    pub fn total(&self) -> u64 {
        self.weights.iter().map(|(_, weight)| *weight).fold(0, u64::saturating_add)
    }

    /// Puts what is there several times together; the order is then that of the stacks, and of callers and callees.
    pub fn compact(&mut self) {
        self.weights.sort_unstable_by_key(|(stack, _)| *stack);
        self.weights.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(later.1);
            }
            same
        });
        let mut sums: HashMap<(Option<FrameId>, FrameId), u64> = HashMap::new();
        for count in &self.calls {
            let sum = sums.entry((count.caller, count.callee)).or_default();
            *sum = sum.saturating_add(count.calls);
        }
        self.calls = sums.into_iter().map(|((caller, callee), calls)| CallCount { caller, callee, calls }).collect();
        self.calls.sort_unstable_by_key(|count| (count.caller, count.callee));
    }
}

impl Unit {
    /// As people read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Samples => "samples",
            Self::Nanoseconds => "ns",
            Self::CpuNanoseconds => "ns of CPU",
            Self::Bytes => "bytes",
            Self::Count => "events",
        }
    }
}

#[cfg(test)]
mod tests;
