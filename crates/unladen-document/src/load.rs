//! The principal type is [`LoadDocument`], `unladen.load/1`.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::about::About;
use crate::answer::Answer;
use crate::capacity::Capacity;
use crate::figure::{Latencies, LatencyIntervals};
use crate::load_agent::LoadAgent;
use crate::ordered::Ordered;
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
    pub concurrency: u64,
    pub keep_alive: bool,
    pub keep_cookies: bool,
    pub http: String,
    /// Answers to the first requests, as a trial; missing in documents of earlier versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// Where the requests were taken from an access log, what became of its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_log: Option<LogLines>,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    pub elapsed_ns: u64,
    pub planned: u64,
    /// Answered as expected.
    pub requests: u64,
    pub throughput: f64,
    /// From the planned time; in a closed loop from the sending.
    pub latency_ns: Latencies,
    pub latency_intervals_ns: LatencyIntervals,
    pub within: Ordered<f64>,
    pub send_lag_ns: Option<BTreeMap<String, u64>>,
    pub pacing: Option<Pacing>,
    pub statuses: Ordered<u64>,
    pub errors: Ordered<u64>,
    pub error_examples: Ordered<String>,
    pub unsent: u64,
    pub abandoned: u64,
    pub missing: u64,
    pub cut_short: u64,
    pub changed: u64,
    pub connections: u64,
    pub new_connections: Option<ByConnection>,
    pub reused_connections: Option<ByConnection>,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub body_bytes: u64,
    pub client_cpu_ns: u64,
    pub fit: bool,
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
