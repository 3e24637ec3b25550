//! The principal type is [`Profile`].

use std::collections::HashMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::frame::{FrameId, Frames};
use crate::stack::{StackId, Stacks};

/// Stacks sampled while requests were answered.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    pub about: About,
    pub frames: Frames,
    pub stacks: Stacks,
    /// By request, the unit of resampling, since the samples of a request depend on one another. A single cluster if
    /// the file does not separate requests.
    pub clusters: Vec<Cluster>,
    /// What the reader left out or doubts, one line each; not written to files.
    pub notes: Vec<String>,
}

/// Origin and units of a profile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct About {
    /// The URL, an arm's name, or a file name.
    pub title: String,
    /// `excimer`, `nytprof`, `perf`; empty if unknown.
    pub profiler: String,
    pub unit: Unit,
    /// Time in ns per sample; `None` if weights are no samples, or it is unknown.
    pub period_ns: Option<u64>,
    /// Number of requests if it differs from the clusters. `None`: the number of clusters or, if
    /// [`are_requests`](Self::are_requests) is false, unknown.
    pub requests: Option<u64>,
    /// Whether each cluster is one request.
    pub are_requests: bool,
    /// Decimal places of weights, of which 10 to this power are one of the unit; at most [`MAX_DECIMALS`].
    #[serde(skip_serializing_if = "is_zero", deserialize_with = "decimals")]
    pub decimals: u32,
}

/// More decimal places of weights are cut off.
pub const MAX_DECIMALS: u32 = 6;

fn is_zero(decimals: &u32) -> bool {
    *decimals == 0
}

fn decimals<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let decimals = u32::deserialize(deserializer)?;
    if decimals > MAX_DECIMALS {
        return Err(D::Error::custom(format_args!("{decimals} decimal places, of at most {MAX_DECIMALS}")));
    }
    Ok(decimals)
}

impl About {
    /// The weight that is one of the unit.
    pub fn of_one(&self) -> u64 {
        10_u64.pow(self.decimals.min(MAX_DECIMALS))
    }

    /// A weight in the unit, with the decimals it needs: `10.5`.
    pub(crate) fn decimal(&self, weight: u64) -> String {
        let (whole, rest) = (weight / self.of_one(), weight % self.of_one());
        if rest == 0 {
            return whole.to_string();
        }
        let text = format!("{whole}.{rest:0places$}", places = self.decimals as usize);
        text.trim_end_matches('0').to_owned()
    }

    /// Documents have whole numbers only.
    pub(crate) fn note(&self) -> Option<String> {
        let (of_one, unit) = (self.of_one(), self.unit.into_str());
        (of_one > 1).then(|| {
            format!(
                "weights have fractions: in JSON results, whose weights are whole, {of_one} stand for 1 of the {unit}"
            )
        })
    }
}

/// What a weight counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Unit {
    /// Samples of [`About::period_ns`] each.
    #[default]
    Samples,
    #[strum(serialize = "ns")]
    Nanoseconds,
    #[strum(serialize = "ns of CPU")]
    CpuNanoseconds,
    Bytes,
    #[strum(serialize = "events")]
    Count,
}

/// One request, or everything in a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cluster {
    /// Each stack's own weight, without stacks on top. Entries of the same stack are added.
    pub weights: Vec<(StackId, u64)>,
    pub calls: Vec<CallCount>,
}

/// How often a function called another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallCount {
    /// `None` if nobody called.
    pub caller: Option<FrameId>,
    pub callee: FrameId,
    pub calls: u64,
}

/// The index of a cluster in [`Profile::clusters`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClusterId(usize);

impl Profile {
    /// A profile without stacks.
    pub fn new(about: About) -> Self {
        Self { about, ..Self::default() }
    }

    /// Begins the next cluster.
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

    /// Adds these clusters of another profile, `from`, whose they have to be; their weights times `scale`.
    pub fn append(&mut self, from: &Self, clusters: &[Cluster], scale: u64) {
        let frames: Vec<FrameId> = from.frames.iter().map(|(_, frame)| self.frames.intern(frame)).collect();
        let mut stacks: Vec<StackId> = Vec::with_capacity(from.stacks.len());
        for stack in from.stacks.iter() {
            // Lower stacks come first.
            let below = from.stacks.below(stack).map(|below| stacks[below.index()]);
            let frame = from.stacks.frame(stack).map(|frame| frames[frame.index()]);
            stacks.push(match below.zip(frame) {
                Some((below, frame)) => self.stacks.push(below, frame),
                None => self.stacks.root(),
            });
        }
        let weight = |(stack, weight): &(StackId, u64)| (stacks[stack.index()], weight.saturating_mul(scale));
        let count = |count: &CallCount| CallCount {
            caller: count.caller.map(|caller| frames[caller.index()]),
            callee: frames[count.callee.index()],
            calls: count.calls,
        };
        self.clusters.extend(clusters.iter().map(|cluster| Cluster {
            weights: cluster.weights.iter().map(weight).collect(),
            calls: cluster.calls.iter().map(count).collect(),
        }));
    }

    /// Sum of all weights. Sums of weights saturate.
    pub fn total(&self) -> u64 {
        self.clusters.iter().map(Cluster::total).fold(0, u64::saturating_add)
    }

    /// The number of requests, if known.
    pub fn requests(&self) -> Option<u64> {
        self.about.requests.or_else(|| self.about.are_requests.then_some(self.clusters.len() as u64))
    }

    /// Own weights of the stacks in all clusters, by stack index.
    pub fn self_weights(&self) -> Vec<u64> {
        let mut weights = vec![0; self.stacks.len()];
        for (stack, weight) in self.clusters.iter().flat_map(|cluster| &cluster.weights) {
            let sum = &mut weights[stack.index()];
            *sum = u64::saturating_add(*sum, *weight);
        }
        weights
    }

    /// Weights of the stacks with everything on top, by stack index.
    pub fn total_weights(&self) -> Vec<u64> {
        self.stacks.totals(self.self_weights(), u64::saturating_add)
    }
}

impl Cluster {
    /// The sum of its weights.
    pub fn total(&self) -> u64 {
        self.weights.iter().map(|(_, weight)| *weight).fold(0, u64::saturating_add)
    }

    /// Merges duplicate entries; sorts by stack, and by caller and callee.
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

#[cfg(test)]
mod tests;
