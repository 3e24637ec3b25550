//! The principal type is [`Row`]: one metric of two runs.

use serde::Serialize;

use crate::figure::{Figure, Span};
use crate::verdict::Verdict;
use crate::why_unjudged::WhyUnjudged;

/// What a metric is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A counter of a group per request, of `weigh`.
    Weight,
    /// What traced requests did, of `weigh`.
    Count,
    /// A quantile of latency, or its mean.
    Latency,
    /// The share of requests within a time.
    Within,
    /// Requests a second.
    Rate,
    /// The share of requests that were not answered as expected.
    Errors,
    /// The size of an answer.
    Size,
    /// The effect of an experiment's change: candidate / baseline.
    Effect,
    /// A function's share of a profile.
    Function,
}

/// One metric of two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The page; empty where the metric is of all of them.
    pub url: String,
    /// `weight.cpu www-data php-fpm8.2`, `latency.p50`, `count.files.checked www-data php-fpm8.2`.
    pub metric: String,
    pub kind: Kind,
    /// Of weights and counts: whose. Null for the sum over all groups that follow the requests.
    pub group: Option<String>,
    /// Of weights and counts: which.
    pub counter: Option<String>,
    /// Of counts: `warm` or `fresh`.
    pub state: Option<String>,
    /// Of what experiments measured: the arm.
    pub arm: Option<String>,
    /// `ns`, `B`, `1` or `1/s`.
    pub unit: String,
    /// Sampled by the kernel, not counted.
    pub approximate: bool,
    /// The metric that its URL is judged by first: total CPU, or the median latency.
    pub headline: bool,
    /// In the earlier run; null where there is none.
    pub before: Option<Figure>,
    /// In the later run; null where there is none.
    pub after: Option<Figure>,
    /// After / before, with the variation between runs; null where one of the two cannot be told from zero.
    pub ratio: Option<Span>,
    /// After − before in the unit, likewise; null where the two cannot be compared.
    pub difference: Option<Span>,
    /// The largest difference that two such runs of the same thing show: as a share, without a ratio in the unit.
    pub floor: Option<f64>,
    /// Within which the whole interval lies where there is no measurable difference, as the floor.
    pub margin: Option<f64>,
    /// The variation between runs alone, as a standard deviation: as a share, without a ratio in the unit.
    pub between_runs: Option<f64>,
    /// Earlier runs that it was estimated from; with none, it is the documented prior.
    pub runs: usize,
    /// Whether ratio and difference are in units of the reference work: the machine's own speed is divided out.
    pub in_reference_units: bool,
    /// For no difference, two-sided, after control of false discoveries over the rows of the URL.
    pub adjusted_p: f64,
    /// What is said of it.
    pub verdict: Verdict,
    /// Why nothing is; none where it was judged. Comparisons list it as [`crate::Comparison::not_judged`].
    #[serde(skip)]
    pub unjudged: Option<WhyUnjudged>,
}

impl Row {
    /// The metric with what it is of, which no other row of the URL has: `latency.p50 in this change`.
    pub fn name(&self) -> String {
        named(&self.metric, self.arm.as_deref(), self.state.as_deref())
    }
}

/// A metric, by all that tells it from others of its page: each arm of an experiment has all of them.
pub(crate) fn named(metric: &str, arm: Option<&str>, state: Option<&str>) -> String {
    let arm = arm.filter(|arm| !arm.is_empty()).map_or(String::new(), |arm| format!(" in {arm}"));
    let state = if state == Some("fresh") { ", first request" } else { "" };
    format!("{metric}{arm}{state}")
}
