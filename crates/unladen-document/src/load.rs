//! The principal type is [`LoadDocument`], `unladen.load/1`.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unladen_quantity::{Kind, short};

use crate::about::About;
use crate::answer::Answer;
use crate::figure::{Latencies, LatencyIntervals, Ordered};
use crate::machine::LoadAgent;
use crate::prove::Gate;

/// Output of `unladen load --json`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
#[schemars(title = "Result of unladen load")]
pub struct LoadDocument {
    /// The name of this schema, with its number.
    #[schemars(extend("const" = LoadDocument::SCHEMA))]
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    /// The requested URLs.
    pub target: String,
    /// Requests a second as planned; null in a closed loop.
    pub rate: Option<f64>,
    /// constant or Poisson; null in a closed loop.
    pub arrivals: Option<String>,
    /// The most requests under way at once.
    pub concurrency: u64,
    /// Whether connections were kept.
    pub keep_alive: bool,
    /// Whether cookies that answers set were sent back.
    pub keep_cookies: bool,
    /// The version of HTTP that was spoken.
    pub http: String,
    /// What came when the first requests were tried, twenty at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// Lines of the access log that the requests were drawn from; there with --access-log alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_log: Option<LogLines>,
    /// How the run ended.
    #[schemars(extend("enum" = ["complete", "interrupted", "failed"]))]
    pub ended: String,
    /// The time from the first planned request to the last answer, in ns.
    pub elapsed_ns: u64,
    /// Requests that were due; in a closed loop, those sent.
    pub planned: u64,
    /// Requests that were answered as expected.
    pub requests: u64,
    /// These a second.
    pub throughput: f64,
    /// Latencies in ns: mean, sd, p50, p75, p90, p95, p99, p999, max; from the planned time, in a closed loop from the
    /// sending.
    pub latency_ns: Latencies,
    /// The 95 % intervals of the mean and of each quantile that the requests carry, in ns.
    pub latency_intervals_ns: LatencyIntervals,
    /// By a time (50ms, in its largest whole unit of s, ms, us and ns): the share of all planned requests that were
    /// answered as expected within it, from 0 to 1.
    pub within: Ordered<f64>,
    /// How late the generator sent: p50, p99, max, in ns; null in a closed loop.
    pub send_lag_ns: Option<BTreeMap<String, u64>>,
    /// The cost of punctual sending; null in a closed loop.
    pub pacing: Option<Pacing>,
    /// Answers by status, expected or not.
    pub statuses: Ordered<u64>,
    /// By kind (`connect`, `timeout`, `status`, …), the most frequent first.
    pub errors: Ordered<u64>,
    /// The text of the first error of each kind.
    pub error_examples: Ordered<String>,
    /// Never sent, because the maximum was under way until the end.
    pub unsent: u64,
    /// Requests that were under way when the run was interrupted.
    pub abandoned: u64,
    /// Planned requests of unknown fate, because the agent that was to send them was lost.
    pub missing: u64,
    /// Requests that were not answered in time; they are in the latencies with the time waited.
    pub cut_short: u64,
    /// Answers that differ from the first one to the same request.
    pub changed: u64,
    /// Connections that were opened.
    pub connections: u64,
    /// Requests that opened a connection.
    pub new_connections: Option<ByConnection>,
    /// Requests that did not.
    pub reused_connections: Option<ByConnection>,
    /// Bytes of HTTP that were sent, before encryption.
    pub bytes_sent: u64,
    /// Bytes of HTTP that were received, after decryption.
    pub bytes_received: u64,
    /// Bodies that were received, in bytes.
    pub body_bytes: u64,
    /// Unladen's own CPU, in ns.
    pub client_cpu_ns: u64,
    /// Whether the figures describe the server and not the generator.
    pub fit: bool,
    /// If not, why.
    pub unfit: Vec<String>,
    /// The hosts of --from; empty where this machine sent.
    pub agents: Vec<LoadAgent>,
    /// Steps of the load; empty with one.
    pub steps: Vec<Step>,
    /// Request by request; empty with one.
    pub by_request: Vec<ByRequest>,
    /// What a search for the highest rate found.
    pub capacity: Option<Capacity>,
    /// The run in slices of time.
    pub timeline: Vec<Slice>,
    /// Pairs of a latency in ns and the share of requests at or below.
    pub distribution: Vec<(u64, f64)>,
    /// The conditions of --fail-on.
    pub gates: Vec<Gate>,
    /// Sentences: what limits the figures.
    pub warnings: Vec<String>,
}

impl LoadDocument {
    /// Its schema. The number changes if a field is removed or changes its meaning, not if one is added.
    pub const SCHEMA: &str = "unladen.load/1";

    /// Requests not answered as expected, including those never sent and those missing, but not those given up when the
    /// load was interrupted.
    pub fn failed(&self) -> u64 {
        let errors = self.errors.iter().map(|(_, count)| *count);
        errors.chain([self.unsent, self.missing]).fold(0, u64::saturating_add)
    }

    /// Whether the planned load was not sent in full because an agent was lost.
    pub fn is_torn(&self) -> bool {
        self.agents.iter().any(|agent| agent.lost.is_some())
    }
}

/// The lines of an access log: `lines` is the sum of `sent` and of those that were passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct LogLines {
    /// The file.
    pub file: String,
    /// All lines.
    pub lines: u64,
    /// Lines that the requests were drawn from.
    pub sent: u64,
    /// The other lines, by reason.
    pub passed_over: Vec<LinesPassedOver>,
}

/// Lines passed over for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct LinesPassedOver {
    /// The reason's name.
    pub reason: String,
    /// The number of lines.
    pub lines: u64,
    /// The reason in words, as they follow the number.
    pub about: String,
}

impl fmt::Display for LogLines {
    /// A sentence, without its full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} lines, {} sent", self.file, self.lines, self.sent)?;
        for (index, passed_over) in self.passed_over.iter().enumerate() {
            let before = if index == 0 { "; passed over: " } else { ", " };
            write!(f, "{before}{} {}", passed_over.lines, passed_over.about)?;
        }
        Ok(())
    }
}

/// The cost of sending on time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Pacing {
    /// CPU, in ns.
    pub cpu_ns: u64,
}

/// Requests that opened a connection, or those that did not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct ByConnection {
    /// How many.
    pub requests: u64,
    /// Their latencies, in ns.
    pub latency_ns: Latencies,
    /// The 95 % intervals of these, in ns.
    pub latency_intervals_ns: LatencyIntervals,
}

/// One step of a load that changes its rate.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Step {
    /// Requests a second when it began.
    pub from: f64,
    /// Requests a second when it ended.
    pub to: f64,
    /// Its length, in ns.
    pub time_ns: u64,
    /// Requests that were answered as expected.
    pub requests: u64,
    /// The others.
    pub errors: u64,
    /// Their latencies, in ns.
    pub latency_ns: Latencies,
    /// The 95 % intervals of these, in ns.
    pub latency_intervals_ns: LatencyIntervals,
}

impl Step {
    /// `40/s`; `40–80/s` of one that changes its rate, with `to` between the two.
    pub fn rate_text(&self, to: &str) -> String {
        let [from, until] = [self.from, self.to].map(|rate| short(Kind::Count, rate));
        if from == until { format!("{from}/s") } else { format!("{from}{to}{until}/s") }
    }
}

/// One of several requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct ByRequest {
    /// Its name.
    pub name: String,
    /// Requests that were answered as expected.
    pub requests: u64,
    /// The others.
    pub errors: u64,
    /// Their latencies, in ns.
    pub latency_ns: Latencies,
    /// The 95 % intervals of these, in ns.
    pub latency_intervals_ns: LatencyIntervals,
}

/// A slice of the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Slice {
    /// When it began, since the run began, in ns.
    pub start_ns: u64,
    /// Its length, in ns.
    pub length_ns: u64,
    /// Requests whose time had come.
    pub planned: u64,
    /// Of those, the ones that were not answered as expected.
    pub errors: u64,
    /// Median latency, in ns.
    pub p50: u64,
    /// 99 % of the latencies are at most this, in ns.
    pub p99: u64,
    /// The largest latency, in ns.
    pub max: u64,
}

impl Slice {
    /// In ns from the start of the run.
    pub fn middle(&self) -> f64 {
        self.start_ns as f64 + self.length_ns as f64 / 2.0
    }

    /// In ns from the start of the run.
    pub fn end(&self) -> f64 {
        self.start_ns as f64 + self.length_ns as f64
    }

    /// So many requests of it, per second.
    pub fn rate(&self, requests: u64) -> f64 {
        requests as f64 / (self.length_ns as f64 / 1e9).max(1e-9)
    }
}

/// The highest rate that kept a limit.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Capacity {
    /// The limit, as it was typed.
    pub limit: String,
    /// The highest rate that held it, in requests a second.
    pub highest: Option<f64>,
    /// The lowest rate that did not, in requests a second.
    pub lowest_broken: Option<f64>,
    /// All rates that were tried, in that order.
    pub trials: Vec<Trial>,
}

impl Capacity {
    /// The lowest rate that broke the limit because requests failed, and the failure.
    pub fn broken_by_failures(&self) -> Option<(&Trial, &str)> {
        let trial = self.trials.iter().rev().find(|trial| Some(trial.rate) == self.lowest_broken)?;
        Some((trial, trial.failure.as_deref()?))
    }
}

/// One rate that was tried.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Trial {
    /// Requests a second.
    pub rate: f64,
    /// Requests whose time had come.
    pub planned: u64,
    /// The limit's quantile of latency, in ns.
    pub quantile_ns: Option<u64>,
    /// Lower end of its 95 % interval, in ns.
    pub low: Option<u64>,
    /// Upper end of its 95 % interval, in ns.
    pub high: Option<u64>,
    /// Requests that were not answered as expected.
    pub errors: u64,
    /// The first failure of the kind that came most often; left out if none failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Whether the limit was held; null if undecided.
    pub held: Option<bool>,
    /// Whether the generator, not the server, was the bound.
    pub unfit: bool,
}
