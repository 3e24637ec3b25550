//! The principal type is [`Row`]: one metric of two runs, its figures and the verdict on it.

use serde::Serialize;
use unladen_document::Span;

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

/// The verdict on one metric of two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, strum::IntoStaticStr, strum::Display)]
#[serde(into = "&'static str")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Verdict {
    Gone,
    New,
    /// More of a counter.
    Heavier,
    /// Less of a counter.
    Lighter,
    /// Longer, or fewer per second, or fewer within a time.
    Slower,
    /// Shorter, or more per second, or more within a time.
    Faster,
    /// The whole interval lies within a margin that does not matter.
    #[strum(serialize = "no measurable difference")]
    NoMeasurableDifference,
    /// The interval is too wide to say, since runs of the same thing vary, or the two are too short.
    Unclear,
    /// A time of two machines whose speeds cannot be expressed in one figure.
    #[strum(serialize = "not comparable")]
    NotComparable,
}

impl Verdict {
    /// Whether there is certainly a difference.
    pub fn is_told(self) -> bool {
        self.is_worse() || self.is_better()
    }

    /// Whether the later run is certainly worse.
    pub fn is_worse(self) -> bool {
        matches!(self, Self::New | Self::Heavier | Self::Slower)
    }

    /// Whether the later run is certainly better.
    pub fn is_better(self) -> bool {
        matches!(self, Self::Gone | Self::Lighter | Self::Faster)
    }
}

/// Why a figure has no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, strum::IntoStaticStr, strum::Display)]
#[serde(into = "&'static str")]
#[strum(const_into_str)]
pub enum WhyUnjudged {
    /// Too few earlier runs to know how much it varies: the next runs change that.
    #[strum(serialize = "too few earlier runs")]
    NoHistory,
    /// Enough earlier runs show that it varies too much to see a difference.
    #[strum(serialize = "varies too much between runs")]
    Varies,
    /// Enough earlier runs show its variation, but the two runs themselves are less precise than that: longer runs
    /// change that.
    #[strum(serialize = "the runs are too short")]
    Imprecise,
    /// The two runs' machines or their speeds differ, or one of the runs does not know its own.
    #[strum(serialize = "not comparable")]
    NotComparable,
    /// One of the two runs lost records, so that its figure is too low.
    #[strum(serialize = "records were lost")]
    RecordsLost,
    /// The two runs have more metrics than one comparison judges.
    #[strum(serialize = "left out of the comparison")]
    LeftOut,
}

impl WhyUnjudged {
    /// All reasons, in the order of reports.
    pub const ALL: [Self; 6] =
        [Self::NoHistory, Self::Varies, Self::Imprecise, Self::NotComparable, Self::RecordsLost, Self::LeftOut];
}

/// A figure of two runs without a verdict: neither a difference, nor its absence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unjudged {
    /// Empty if the metric is for all pages.
    pub url: String,
    /// As in its row.
    pub metric: String,
    /// As in its row.
    pub arm: Option<String>,
    pub why: WhyUnjudged,
}

impl Unjudged {
    /// `None` if the row was judged.
    pub fn of(row: &Row) -> Option<Self> {
        let why = row.unjudged?;
        Some(Self { url: row.url.clone(), metric: row.metric.clone(), arm: row.arm.clone(), why })
    }

    /// The name that its row would have.
    pub fn name(&self) -> String {
        named(&self.metric, self.arm.as_deref(), None)
    }
}

/// One run's figure, in the row's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub noise_floor: Option<f64>,
}
