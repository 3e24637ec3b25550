//! The principal type is [`ProveDocument`], `unladen.prove/1`. The words of its verdicts ([`Change`]) are written and
//! read only here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unladen_lockin::{MARGIN, MARGIN_OF_SHARES};
use unladen_quantity::Span;

use crate::about::About;
use crate::answer::Answer;
use crate::figure::{OpenSpan, Ordered};
use crate::machine::LoadAgent;

/// Output of `unladen prove --json`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
#[schemars(title = "Result of unladen prove")]
pub struct ProveDocument {
    /// The name of this schema, with its number.
    #[schemars(extend("const" = ProveDocument::SCHEMA))]
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    /// The experiment's name.
    pub title: String,
    /// Which arms there are.
    #[schemars(extend("enum" = ["ab", "each", "ablate", "factorial"]))]
    pub design: String,
    /// The requested URLs.
    pub target: String,
    /// How the run ended.
    #[schemars(extend("enum" = ["complete", "interrupted", "failed"]))]
    pub ended: String,
    /// Requests a second as planned; null in a closed loop.
    pub rate: Option<f64>,
    /// The most requests under way at once.
    pub concurrency: u64,
    /// Whether cookies that answers set were sent back.
    pub keep_cookies: bool,
    /// The time of the run, in ns.
    pub elapsed_ns: u64,
    /// The length of a phase, in ns.
    pub phase_ns: u64,
    /// Blocks that were measured.
    pub blocks: u64,
    /// Restarts of the application.
    pub restarts: u64,
    /// The unit of the intervals.
    #[schemars(extend("enum" = ["restarts", "blocks"]))]
    pub resampled: String,
    /// 99 % of the requests were sent at most this late, in ns; null in a closed loop.
    pub send_lag_p99_ns: Option<u64>,
    /// The hosts of --from; absent where this machine sent. Nothing is missing, and none is lost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<LoadAgent>,
    /// The arms.
    pub arms: Vec<Arm>,
    /// One metric of one arm against the baseline each.
    pub comparisons: Vec<Comparison>,
    /// How changes act together.
    pub interactions: Vec<Interaction>,
    /// How long it would take in all to detect 1 % of the first quantile, in ns; null where it is detected.
    pub time_for_one_percent_ns: Option<u64>,
    /// What the first request does in the baseline and in the changed arm: counts of the groups on its path, traced
    /// after all timing. Documents from before 2026-11-29 lack it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<CountedChange>,
    /// Why nothing was counted, or not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_counted: Option<String>,
    /// The conditions of --fail-on.
    pub gates: Vec<Gate>,
    /// Profiles of the arms, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<ArmProfile>,
    /// How each change to the system was put back.
    pub put_back: Vec<String>,
    /// Sentences: what limits the figures.
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
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// What it is: baseline, baseline again, candidate, alone, all but one, cumulative, all, combination.
    pub roles: Vec<String>,
    /// Changes in force.
    pub on: Vec<String>,
    /// Requests that were answered as expected.
    pub requests: u64,
    /// The others.
    pub errors: u64,
    /// Requests that were answered differently from the first.
    pub changed: u64,
    /// Answers by status, expected or not.
    pub statuses: Ordered<u64>,
    /// What came when it was tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// Quantiles of latency, in ns.
    pub box_plot_ns: Option<BoxPlot>,
    /// Quantiles of the latency of first requests after a restart, in ns.
    pub cold_box_plot_ns: Option<BoxPlot>,
    /// Pairs of a latency in ns and the share of requests at or below.
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct BoxPlot {
    /// 5 % are at most this, in ns.
    pub p5: u64,
    /// 25 % are at most this, in ns.
    pub p25: u64,
    /// The median, in ns.
    pub p50: u64,
    /// 75 % are at most this, in ns.
    pub p75: u64,
    /// 95 % are at most this, in ns.
    pub p95: u64,
    /// Of how many requests.
    pub requests: u64,
}

/// One metric of one arm against the baseline.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Comparison {
    /// The arm.
    pub arm: String,
    /// The metric: latency.p50, latency.mean, cold.latency.p50, within.50ms, throughput, bytes.body, statuses.304,
    /// weight.cpu www-data php-fpm8.2 and so on.
    pub metric: String,
    /// Of weights: whose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Of weights: which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// Of weights: what tables call the counter.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// ns, 1, 1/s or B (bytes).
    pub unit: String,
    /// Of weights: sampled by the kernel, not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approximate: Option<bool>,
    /// The metric in the baseline, in the unit.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub baseline: Option<f64>,
    /// The metric in this arm, in the unit.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub candidate: Option<f64>,
    /// Lower end of the 95 % interval of this arm's own figure, in the unit.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub candidate_low: Option<f64>,
    /// Upper end of the 95 % interval of this arm's own figure, in the unit.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub candidate_high: Option<f64>,
    /// candidate / baseline; null where one of the two cannot be told from zero.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub low: Option<f64>,
    /// Upper end of the ratio's 95 % interval.
    pub high: Option<f64>,
    /// candidate − baseline, in the unit.
    pub difference: OpenSpan,
    /// The difference of the baseline from itself, as a share; without a ratio, in the unit.
    pub floor: Option<f64>,
    /// The p-value after control of false discoveries: over the latencies, and over the weights of the groups on the
    /// path.
    #[schemars(with = "Option<f64>")]
    pub adjusted_p: f64,
    /// The margin within which the whole interval has to lie for no measurable difference: a share; without a ratio, in
    /// the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Where it is unclear, how long the experiment would take in all to settle it, in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_settle_ns: Option<u64>,
    /// Of weights: whether the requests go through the group; where that is not known, false if its CPU does not follow
    /// them. Groups with false are judged apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_path: Option<bool>,
    /// faster or slower; of weights and bytes lighter or heavier; of statuses more or less; no measurable difference:
    /// the whole interval lies within the margin; unclear: the interval is too wide to say.
    pub verdict: String,
}

/// One traced counter of one group, per request, in the baseline and in the changed arm.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct CountedChange {
    /// The changed arm: the candidate, or all changes together.
    pub arm: String,
    /// The group of processes.
    pub group: String,
    /// The counter, such as files.checked or sql.statements.
    pub counter: String,
    /// What tables call the counter.
    pub title: String,
    /// Per request in the baseline; 0 where the requests do not move it.
    pub baseline: Span,
    /// Per request in the changed arm.
    pub candidate: Span,
    /// candidate / baseline; null where the baseline has none.
    pub ratio: Option<Span>,
    /// What phases without requests alone would have shown, of the two arms the larger.
    pub noise_floor: f64,
    /// Whether the two certainly differ, by more than the noise floor and at least 1 %.
    #[serde(rename = "changed")]
    pub is_changed: bool,
}

/// Whether changes do something else together than alone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Interaction {
    /// The metric.
    pub metric: String,
    /// all against alone, main effect or pair.
    pub kind: String,
    /// The changes.
    pub knobs: Vec<String>,
    /// All together / the product of each alone.
    #[schemars(with = "Option<f64>")]
    pub ratio: f64,
    /// Lower end of its 95 % interval.
    #[schemars(with = "Option<f64>")]
    pub low: f64,
    /// Upper end of its 95 % interval.
    #[schemars(with = "Option<f64>")]
    pub high: f64,
    /// The product of the changes alone; null where there is none.
    pub expected: Option<Span>,
    /// Whether it was detected and is not chance.
    pub told: bool,
    /// told, no measurable difference or unclear.
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Gate {
    /// The condition as it was typed, or the rule; any is all rules.
    pub condition: String,
    /// The arm of an experiment that it was held against.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub arm: String,
    /// The page that the rule was looked for on.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// Whether it is broken for certain, nothing could be held against it, or it is undecided with --strict.
    pub broken: bool,
    /// Whether that is undecided; it fails nothing without --strict.
    pub untold: bool,
    /// What was found, a sentence.
    pub found: String,
}

impl Gate {
    /// Whether it is a rule that looks for waste, or `any` of them; otherwise it is a condition on a figure.
    pub fn is_of_rule(&self) -> bool {
        !self.condition.contains(['<', '>'])
    }

    /// What is undecided fails too, as `--strict` has it.
    pub fn be_strict(gates: &mut [Self]) {
        gates.iter_mut().filter(|gate| gate.untold).for_each(|gate| gate.broken = true);
    }
}

/// The profile of an arm.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct ArmProfile {
    /// The arm.
    pub arm: String,
    /// Requests in the profile.
    pub requests: u64,
    /// The file of the profile.
    pub file: String,
    /// The file of its picture.
    pub picture: String,
    /// Functions that differ from the baseline for certain; null for the baseline.
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
