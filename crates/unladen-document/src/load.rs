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

/// What `unladen load --json` wrote.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct LoadDocument {
    /// `unladen.load/1`.
    pub schema: String,
    /// Where, when and how.
    #[serde(flatten)]
    pub about: About,
    /// The requested URLs.
    pub target: String,
    /// Requests a second as planned; null in a closed loop.
    pub rate: Option<f64>,
    /// `constant` or `Poisson`; null in a closed loop.
    pub arrivals: Option<String>,
    /// The most requests under way at once.
    pub concurrency: u64,
    /// Whether connections were kept.
    pub keep_alive: bool,
    /// Whether cookies that answers set were sent back.
    pub keep_cookies: bool,
    /// The version of HTTP that was spoken.
    pub http: String,
    /// What came when the first requests were tried; documents of earlier versions lack it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// Where the requests were taken from an access log, what became of its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_log: Option<LogLines>,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    /// From the first planned request to the last answer.
    pub elapsed_ns: u64,
    /// Requests whose time had come.
    pub planned: u64,
    /// Requests answered as expected.
    pub requests: u64,
    /// These per second.
    pub throughput: f64,
    /// From the planned time; in a closed loop from the sending.
    pub latency_ns: Latencies,
    /// Of the mean and of each quantile that the requests carry.
    pub latency_intervals_ns: LatencyIntervals,
    /// The share of all planned requests answered as expected within a time, such as `50ms`.
    pub within: Ordered<f64>,
    /// How late the generator sent: `p50`, `p99`, `max`; null in a closed loop.
    pub send_lag_ns: Option<BTreeMap<String, u64>>,
    /// Cost of punctual sending; null in a closed loop.
    pub pacing: Option<Pacing>,
    /// Answers by status, expected or not.
    pub statuses: Ordered<u64>,
    /// By kind: how many.
    pub errors: Ordered<u64>,
    /// By kind: the text of the first.
    pub error_examples: Ordered<String>,
    /// Never sent.
    pub unsent: u64,
    /// Under way when interrupted.
    pub abandoned: u64,
    /// Planned, and nothing is known of them: the agent that was to send them was lost.
    pub missing: u64,
    /// Not answered in time.
    pub cut_short: u64,
    /// Answered differently from the first.
    pub changed: u64,
    /// Connections opened.
    pub connections: u64,
    /// Requests that opened one.
    pub new_connections: Option<ByConnection>,
    /// Requests that did not.
    pub reused_connections: Option<ByConnection>,
    /// Of HTTP before encryption.
    pub bytes_sent: u64,
    /// Of HTTP before encryption.
    pub bytes_received: u64,
    /// Of bodies.
    pub body_bytes: u64,
    /// Unladen's own CPU.
    pub client_cpu_ns: u64,
    /// Whether the figures describe the server and not the generator.
    pub fit: bool,
    /// If not, why.
    pub unfit: Vec<String>,
    /// The hosts that sent it; empty where the one of the document did.
    pub agents: Vec<LoadAgent>,
    /// Empty with one step.
    pub steps: Vec<Step>,
    /// Empty with one request.
    pub by_request: Vec<ByRequest>,
    /// What a search for the highest rate found.
    pub capacity: Option<Capacity>,
    /// The run in slices of time.
    pub timeline: Vec<Slice>,
    /// Pairs of a latency in ns and the share of requests at or below.
    pub distribution: Vec<(u64, f64)>,
    /// Conditions of `--fail-on`.
    pub gates: Vec<Gate>,
    /// Sentences.
    pub warnings: Vec<String>,
}

/// The lines of an access log: `lines` is the sum of `sent` and of those that were passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LogLines {
    pub file: String,
    pub lines: u64,
    /// Those that requests are drawn from.
    pub sent: u64,
    /// The others, by reason.
    pub passed_over: Vec<LinesPassedOver>,
}

/// Lines that were passed over for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LinesPassedOver {
    /// Its name.
    pub reason: String,
    pub lines: u64,
    /// In words, as they stand behind the number.
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

/// The cost of punctual sending.
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
    /// Requests a second when it began.
    pub from: f64,
    /// When it ended.
    pub to: f64,
    /// Its length.
    pub time_ns: u64,
    /// Answered as expected.
    pub requests: u64,
    /// The others.
    pub errors: u64,
    pub latency_ns: Latencies,
    pub latency_intervals_ns: LatencyIntervals,
}

/// One of several requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct ByRequest {
    pub name: String,
    /// Answered as expected.
    pub requests: u64,
    /// The others.
    pub errors: u64,
    pub latency_ns: Latencies,
    pub latency_intervals_ns: LatencyIntervals,
}

/// A slice of the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Slice {
    /// Since the run began.
    pub start_ns: u64,
    pub length_ns: u64,
    /// Requests whose time had come.
    pub planned: u64,
    /// Those not answered as expected.
    pub errors: u64,
    /// Latency in ns.
    pub p50: u64,
    /// Latency in ns.
    pub p99: u64,
    /// Latency in ns.
    pub max: u64,
}
