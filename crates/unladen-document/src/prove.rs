//! The principal type is [`ProveDocument`], `unladen.prove/1`. The words of its verdicts ([`Change`]) are written and
//! read only here.

use serde::{Deserialize, Serialize};
use unladen_lockin::{MARGIN, MARGIN_OF_SHARES};
use unladen_quantity::Span;

use crate::about::About;
use crate::answer::Answer;
use crate::figure::{OpenSpan, Ordered};
use crate::machine::LoadAgent;

/// Output of `unladen prove --json`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ProveDocument {
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    pub title: String,
    /// `ab`, `each`, `ablate` or `factorial`.
    pub design: String,
    pub target: String,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    pub rate: Option<f64>,
    pub concurrency: u64,
    pub keep_cookies: bool,
    pub elapsed_ns: u64,
    pub phase_ns: u64,
    pub blocks: u64,
    pub restarts: u64,
    /// Unit of the intervals: `restarts` or `blocks`.
    pub resampled: String,
    pub send_lag_p99_ns: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<LoadAgent>,
    pub arms: Vec<Arm>,
    pub comparisons: Vec<Comparison>,
    pub interactions: Vec<Interaction>,
    pub time_for_one_percent_ns: Option<u64>,
    /// What the first request does in the baseline and in the changed arm, traced after all timing. Documents from
    /// before 2026-11-29 lack it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<CountedChange>,
    /// Why nothing was counted, or not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_counted: Option<String>,
    pub gates: Vec<Gate>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<ArmProfile>,
    pub put_back: Vec<String>,
    pub warnings: Vec<String>,
}

impl ProveDocument {
    /// Its schema. The number changes if a field is removed or changes its meaning, not if one is added.
    pub const SCHEMA: &str = "unladen.prove/1";

    /// What is compared of an arm.
    pub fn of_arm(&self, arm: &str) -> impl Iterator<Item = &Comparison> {
        self.comparisons.iter().filter(move |comparison| comparison.arm == arm)
    }

    /// The baseline's value of a metric over both its arms, which all others are compared with.
    pub fn baseline_of(&self, metric: &str) -> Option<f64> {
        self.comparisons.iter().find(|comparison| comparison.metric == metric)?.baseline
    }

    /// Whether an arm has the role.
    pub fn has(&self, role: &str) -> bool {
        self.arms.iter().any(|arm| arm.has(role))
    }

    /// All arms but those of the baseline.
    pub fn changed_arms(&self) -> impl Iterator<Item = &Arm> {
        self.arms.iter().filter(|arm| !arm.has("baseline") && !arm.has("baseline again"))
    }

    /// The arm whose differences are shown in full: the candidate, or all changes together.
    pub fn changed_arm(&self) -> Option<&Arm> {
        let with = |role| self.arms.iter().find(|arm| arm.has(role));
        let most = || self.changed_arms().max_by_key(|arm| arm.on.len());
        with("candidate").or_else(|| with("all")).or_else(most)
    }

    /// First quantile compared, such as `latency.p50`.
    pub fn first_quantile(&self) -> Option<&str> {
        let is_quantile = |comparison: &&Comparison| comparison.metric.starts_with("latency.p");
        self.comparisons.iter().find(is_quantile).map(|comparison| comparison.metric.as_str())
    }

    /// The knobs, in the order of the arm that has most of them on.
    pub fn knobs(&self) -> Vec<&str> {
        let longest = self.arms.iter().max_by_key(|arm| arm.on.len());
        let mut knobs: Vec<&str> = Vec::new();
        for knob in longest.into_iter().chain(&self.arms).flat_map(|arm| &arm.on) {
            if !knobs.contains(&knob.as_str()) {
                knobs.push(knob);
            }
        }
        knobs
    }
}

/// One combination of knobs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Arm {
    pub name: String,
    /// See [`Self::has`]; an arm may have several.
    pub roles: Vec<String>,
    pub on: Vec<String>,
    pub requests: u64,
    pub errors: u64,
    pub changed: u64,
    pub statuses: Ordered<u64>,
    /// Missing in documents of earlier versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    pub box_plot_ns: Option<BoxPlot>,
    pub cold_box_plot_ns: Option<BoxPlot>,
    /// (Latency in ns, share of requests at or below).
    pub distribution: Vec<(u64, f64)>,
}

impl Arm {
    /// Whether it has the role: `baseline`, `baseline again`, `candidate`, `alone`, `all`, `all but one`, `cumulative`,
    /// `combination`.
    pub fn has(&self, role: &str) -> bool {
        self.roles.iter().any(|of| of == role)
    }
}

/// Five quantiles of latency in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct BoxPlot {
    pub p5: u64,
    pub p25: u64,
    pub p50: u64,
    pub p75: u64,
    pub p95: u64,
    pub requests: u64,
}

/// One metric of one arm against the baseline.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Comparison {
    pub arm: String,
    /// `latency.p50`, `within.50ms`, `weight.cpu www-data php-fpm8.2`.
    pub metric: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// What tables call the counter of a weight; documents of version 0.1 may lack it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// `ns`, `1`, `1/s`, `B`.
    pub unit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approximate: Option<bool>,
    /// The metric in the baseline.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub baseline: Option<f64>,
    /// The metric in this arm.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub candidate: Option<f64>,
    /// Lower end of the 95 % interval of this arm's own figure.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub candidate_low: Option<f64>,
    /// Upper end of it.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub candidate_high: Option<f64>,
    /// `candidate` / `baseline`; null if one of the two is indistinguishable from zero.
    pub ratio: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub difference: OpenSpan,
    pub floor: Option<f64>,
    pub adjusted_p: f64,
    /// Limit for the whole interval of `no measurable difference`, in the unit of the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_settle_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_path: Option<bool>,
    /// `faster`, `slower`, `lighter`, `heavier`, `no measurable difference` or `unclear`; see [`Self::change`].
    pub verdict: String,
}

/// One traced counter of one group, per request, in the baseline and in the changed arm.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct CountedChange {
    pub arm: String,
    pub group: String,
    /// `files.checked`, `sql.statements`.
    pub counter: String,
    pub title: String,
    pub baseline: Span,
    pub candidate: Span,
    /// `candidate` / `baseline`; `None` where the baseline has none.
    pub ratio: Option<Span>,
    /// Of the two, the larger one: what phases without requests alone would have shown.
    pub noise_floor: f64,
    /// Whether the two certainly differ, by more than the noise floor and at least 1 %.
    #[serde(rename = "changed")]
    pub is_changed: bool,
}

/// Whether changes do something else together than alone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Interaction {
    pub metric: String,
    /// `all against alone`, `main effect` or `pair`.
    pub kind: String,
    pub knobs: Vec<String>,
    /// All together / the product of each alone.
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    pub expected: Option<Span>,
    pub told: bool,
    /// `told`, `no measurable difference` or `unclear`.
    pub verdict: String,
}

impl Interaction {
    /// All together against the product of each alone: `ratio` is all together, `expected` the product.
    pub const ALL_AGAINST_ALONE: &str = "all against alone";
    /// A knob's effect over all combinations of the others (factorial).
    pub const MAIN_EFFECT: &str = "main effect";
    /// How far two knobs' effects fail to multiply (factorial): 1 if they multiply.
    pub const PAIR: &str = "pair";

    /// The effect as a ratio (below 1: less).
    pub fn ratio_span(&self) -> Span {
        Span { value: self.ratio, low: self.low, high: self.high }
    }

    /// If it does not differ from chance: whether its whole interval lies within the margin of equality.
    pub fn is_equal(&self) -> bool {
        self.verdict == Change::Equal.as_str(Metric::Latency)
    }
}

/// A `--fail-on` condition for an arm, for a load, or for a rule of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Gate {
    pub condition: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub arm: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// For certain, because there was nothing to compare, or undecided with `--strict`.
    pub broken: bool,
    pub untold: bool,
    pub found: String,
}

impl Gate {
    /// What is undecided fails too, as `--strict` has it.
    pub fn be_strict(gates: &mut [Self]) {
        gates.iter_mut().filter(|gate| gate.untold).for_each(|gate| gate.broken = true);
    }
}

/// The profile of an arm.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct ArmProfile {
    pub arm: String,
    pub requests: u64,
    pub file: String,
    pub picture: String,
    pub functions_changed: Option<u64>,
}

/// What a metric of an experiment measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// In ns: less is faster.
    Latency,
    /// Share of requests within a time: more is faster.
    Within,
    /// Requests per second: more is faster.
    Throughput,
    /// Per request: less is lighter.
    Weight,
    /// Bytes of an answer's body as transferred: less is lighter.
    Bytes,
    /// Share of answers with a status below 400.
    Status,
    /// Share of answers with a status from 400 on: less is better.
    ErrorStatus,
}

/// The verdict on a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Faster, more within the time, lighter.
    Better,
    Worse,
    /// The whole interval lies within a margin that does not matter.
    Equal,
    /// The interval is too wide to say; more blocks decide it.
    Unclear,
}

impl Metric {
    /// Parses a metric's name: `latency.p50`, `cold.latency.mean`, `within.50ms`, `statuses.503`.
    pub fn of(name: &str) -> Self {
        match name.strip_prefix("cold.").unwrap_or(name).split_once('.') {
            Some(("within", _)) => Self::Within,
            Some(("weight", _)) => Self::Weight,
            Some(("bytes", _)) => Self::Bytes,
            Some(("statuses", status)) if status.starts_with(['4', '5']) => Self::ErrorStatus,
            Some(("statuses", _)) => Self::Status,
            None if name == "throughput" => Self::Throughput,
            _ => Self::Latency,
        }
    }

    /// Its unit in documents; of a weight, that of most counters.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Latency => "ns",
            Self::Bytes => "B",
            Self::Throughput => "1/s",
            Self::Within | Self::Status | Self::ErrorStatus | Self::Weight => "1",
        }
    }

    /// Whether it is a share of all requests, whose changes are in percentage points.
    pub fn is_share(self) -> bool {
        matches!(self, Self::Within | Self::Status | Self::ErrorStatus)
    }
}

impl Change {
    const ALL: [Self; 4] = [Self::Better, Self::Worse, Self::Equal, Self::Unclear];

    /// Parses a word; an unknown one is unclear, such as `too few blocks` of earlier versions.
    pub fn of(word: &str, metric: Metric) -> Self {
        Self::ALL.into_iter().find(|change| change.as_str(metric) == word).unwrap_or(Self::Unclear)
    }

    /// Whether it is certainly better or worse.
    pub fn is_told(self) -> bool {
        matches!(self, Self::Better | Self::Worse)
    }

    /// The verdict in words: weights and answers get lighter, shares of statuses more or less, everything else faster.
    pub fn as_str(self, metric: Metric) -> &'static str {
        match (self, metric) {
            (Self::Better, Metric::Weight | Metric::Bytes) => "lighter",
            (Self::Worse, Metric::Weight | Metric::Bytes) => "heavier",
            (Self::Better, Metric::Status) | (Self::Worse, Metric::ErrorStatus) => "more",
            (Self::Worse, Metric::Status) | (Self::Better, Metric::ErrorStatus) => "less",
            (Self::Better, _) => "faster",
            (Self::Worse, _) => "slower",
            (Self::Equal, _) => "no measurable difference",
            (Self::Unclear, _) => "unclear",
        }
    }
}

impl Comparison {
    /// What the metric measures.
    pub fn kind(&self) -> Metric {
        Metric::of(&self.metric)
    }

    /// The ratio with its interval.
    pub fn ratio_span(&self) -> Option<Span> {
        let ((value, low), high) = self.ratio.zip(self.low).zip(self.high)?;
        Some(Span { value, low, high })
    }

    /// The difference with its interval; an end that the document lacks is infinite.
    pub fn difference_span(&self) -> Span {
        let OpenSpan { value, low, high } = self.difference;
        Span { value, low: low.unwrap_or(f64::NEG_INFINITY), high: high.unwrap_or(f64::INFINITY) }
    }

    /// The arm's own figure with its interval, whatever the baseline's is.
    pub fn own_span(&self) -> Option<Span> {
        let (low, high) = self.candidate_low.zip(self.candidate_high)?;
        Some(Span { value: self.candidate.unwrap_or(f64::NAN), low, high })
    }

    /// Whether its interval excludes no change.
    pub fn excludes_no_change(&self) -> bool {
        let (span, none) = self.ratio_span().map_or((self.difference_span(), 0.0), |ratio| (ratio, 1.0));
        span.low > none || span.high < none
    }

    /// The verdict. Documents of earlier versions have no margin, and called intervals of any width equal: they are
    /// judged by the margin of this version.
    pub fn change(&self) -> Change {
        let said = Change::of(&self.verdict, self.kind());
        let is_wide = || match (self.kind().is_share(), self.ratio, self.low.zip(self.high)) {
            (true, _, _) => !is_within(self.difference.low.zip(self.difference.high), 0.0, MARGIN_OF_SHARES),
            (false, Some(_), ends) => !is_within(ends, 1.0, MARGIN),
            (false, None, _) => false,
        };
        if said == Change::Equal && self.margin.is_none() && is_wide() { Change::Unclear } else { said }
    }

    /// The margin of equality: a share if there is a ratio, otherwise in the unit.
    pub fn margin(&self) -> Option<f64> {
        let usual = || match (self.kind().is_share(), self.ratio) {
            (true, _) => Some(MARGIN_OF_SHARES),
            (false, ratio) => ratio.map(|_| MARGIN),
        };
        self.margin.or_else(usual)
    }
}

/// Whether an interval lies within the margin around no change.
fn is_within(ends: Option<(f64, f64)>, no_change: f64, margin: f64) -> bool {
    ends.is_some_and(|(low, high)| low >= no_change - margin && high <= no_change + margin)
}

#[cfg(test)]
mod tests;
