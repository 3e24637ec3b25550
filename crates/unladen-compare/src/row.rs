//! The principal type is [`Row`]: one metric of two runs.

use serde::Serialize;

use crate::figure::{Figure, Span};
use crate::verdict::Verdict;
use crate::why_unjudged::WhyUnjudged;

/// What a metric measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A group's counter per request, from `weigh`.
    Weight,
    /// What traced requests did, from `weigh`.
    Count,
    /// A quantile, or the mean.
    Latency,
    Within,
    Rate,
    /// Share of requests not answered as expected.
    Errors,
    Size,
    /// Effect of an experiment's change: candidate / baseline.
    Effect,
    Function,
}

/// One metric of two runs; the schema of `unladen.compare/1` describes each field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    pub url: String,
    /// `weight.cpu www-data php-fpm8.2`, `latency.p50`, `count.files.checked www-data php-fpm8.2`.
    pub metric: String,
    pub kind: Kind,
    pub group: Option<String>,
    pub counter: Option<String>,
    /// For counts: `warm` or `fresh`.
    pub state: Option<String>,
    pub arm: Option<String>,
    /// `ns`, `B`, `1` or `1/s`.
    pub unit: String,
    pub approximate: bool,
    /// The metric that its URL is judged by first: total CPU, or the median latency.
    pub headline: bool,
    pub before: Option<Figure>,
    pub after: Option<Figure>,
    pub ratio: Option<Span>,
    pub difference: Option<Span>,
    /// The largest difference that two such runs of the same thing show: as a share, without a ratio in the unit.
    pub floor: Option<f64>,
    pub margin: Option<f64>,
    pub between_runs: Option<f64>,
    /// Earlier runs it was estimated from; with none, it is the documented prior.
    pub runs: usize,
    pub in_reference_units: bool,
    /// For no difference, two-sided, after control of false discoveries over the rows of the URL.
    pub adjusted_p: f64,
    pub verdict: Verdict,
    /// `None` if it was judged. Comparisons list it as [`crate::Comparison::not_judged`].
    #[serde(skip)]
    pub unjudged: Option<WhyUnjudged>,
}

impl Row {
    /// The metric with its arm and state, unique among the rows of the URL: `latency.p50 in this change`.
    pub fn name(&self) -> String {
        named(&self.metric, self.arm.as_deref(), self.state.as_deref())
    }
}

/// A metric with all that distinguishes it from others of its page: each arm of an experiment has all of them.
pub(crate) fn named(metric: &str, arm: Option<&str>, state: Option<&str>) -> String {
    let arm = arm.filter(|arm| !arm.is_empty()).map_or(String::new(), |arm| format!(" in {arm}"));
    let state = if state == Some("fresh") { ", first request" } else { "" };
    format!("{metric}{arm}{state}")
}
