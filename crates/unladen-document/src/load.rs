//! The principal type is [`LoadDocument`], `unladen.load/1`.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use unladen_quantity::{Kind, short};

use crate::about::About;
use crate::answer::Answer;
use crate::figure::{Latencies, LatencyIntervals, Ordered};
use crate::machine::LoadAgent;
use crate::prove::Gate;

/// Output of `unladen load --json`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct LoadDocument {
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    pub target: String,
    pub rate: Option<f64>,
    /// `constant` or `Poisson`; null in a closed loop.
    pub arrivals: Option<String>,
    /// Maximum requests under way at once; in a closed loop always this many.
    pub concurrency: u64,
    pub keep_alive: bool,
    pub keep_cookies: bool,
    pub http: String,
    /// Answers to the first requests, as a trial; empty if other hosts sent them. Missing in documents of earlier versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// Where the requests were taken from an access log, what became of its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_log: Option<LogLines>,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    pub elapsed_ns: u64,
    /// Requests that were due; in a closed loop, those sent.
    pub planned: u64,
    /// Answered as expected.
    pub requests: u64,
    pub throughput: f64,
    /// From the planned time; in a closed loop from the sending.
    pub latency_ns: Latencies,
    pub latency_intervals_ns: LatencyIntervals,
    /// Share of all planned requests answered as expected within a time, shortest time first.
    pub within: Ordered<f64>,
    /// The generator's own lateness, without opening connections; null in a closed loop.
    pub send_lag_ns: Option<BTreeMap<String, u64>>,
    pub pacing: Option<Pacing>,
    /// In the order of the status, expected or not.
    pub statuses: Ordered<u64>,
    /// By kind (`connect`, `timeout`, `status`, …), the most frequent first.
    pub errors: Ordered<u64>,
    pub error_examples: Ordered<String>,
    /// Never sent, because the maximum was under way until the end.
    pub unsent: u64,
    pub abandoned: u64,
    /// Planned requests of unknown fate, because the agent that was to send them was lost.
    pub missing: u64,
    /// Requests in `latency_ns` that were not answered in time. They count with the time they waited, which is less than
    /// they would have taken.
    pub cut_short: u64,
    /// Answers that differ from the first one to the same request.
    pub changed: u64,
    pub connections: u64,
    pub new_connections: Option<ByConnection>,
    pub reused_connections: Option<ByConnection>,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub body_bytes: u64,
    /// The client's own CPU, including threads for pacing and recording.
    pub client_cpu_ns: u64,
    pub fit: bool,
    /// Why the figures are not the server's; empty if they are.
    pub unfit: Vec<String>,
    pub agents: Vec<LoadAgent>,
    pub steps: Vec<Step>,
    pub by_request: Vec<ByRequest>,
    pub capacity: Option<Capacity>,
    pub timeline: Vec<Slice>,
    /// (Latency in ns, share of requests at or below).
    pub distribution: Vec<(u64, f64)>,
    pub gates: Vec<Gate>,
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LogLines {
    pub file: String,
    pub lines: u64,
    pub sent: u64,
    pub passed_over: Vec<LinesPassedOver>,
}

/// Lines passed over for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LinesPassedOver {
    pub reason: String,
    pub lines: u64,
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Pacing {
    pub cpu_ns: u64,
}

/// Requests that opened a connection, or those that did not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct ByConnection {
    pub requests: u64,
    pub latency_ns: Latencies,
    pub latency_intervals_ns: LatencyIntervals,
}

/// One step of a load that changes its rate.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Step {
    pub from: f64,
    pub to: f64,
    pub time_ns: u64,
    pub requests: u64,
    pub errors: u64,
    pub latency_ns: Latencies,
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct ByRequest {
    pub name: String,
    pub requests: u64,
    pub errors: u64,
    pub latency_ns: Latencies,
    pub latency_intervals_ns: LatencyIntervals,
}

/// A slice of the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Slice {
    pub start_ns: u64,
    pub length_ns: u64,
    pub planned: u64,
    pub errors: u64,
    pub p50: u64,
    pub p99: u64,
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
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Capacity {
    pub limit: String,
    pub highest: Option<f64>,
    pub lowest_broken: Option<f64>,
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
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Trial {
    pub rate: f64,
    pub planned: u64,
    pub quantile_ns: Option<u64>,
    pub low: Option<u64>,
    pub high: Option<u64>,
    pub errors: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    pub held: Option<bool>,
    pub unfit: bool,
}
