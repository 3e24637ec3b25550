//! The principal type is [`WeighDocument`], `unladen.weigh/1`.

use serde::{Deserialize, Serialize};

use crate::about::About;
use crate::answer::Answer;
use crate::figure::{Latencies, LatencyIntervals, Span};
use crate::finding::{Finding, NotJudged, NotLookedFor};
use crate::machine::Machine;
use crate::prove::Gate;

/// Output of `unladen weigh --json`. With `--from` it has only findings and counts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct WeighDocument {
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    /// URLs separated by blanks.
    pub target: String,
    /// Counted requests.
    pub requests: u64,
    /// From the first phase to the last.
    pub elapsed_ns: u64,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    pub phase_ns: u64,
    /// Length of the gap after a phase.
    pub settle_ns: u64,
    /// Maximum under way at once.
    pub concurrency: u64,
    /// Planned requests per second; null if back to back.
    pub rate: Option<f64>,
    pub keep_alive: bool,
    /// Whether cookies from answers were sent back.
    pub keep_cookies: bool,
    pub processors: u64,
    /// Processors that other work kept busy while no requests ran.
    pub background_cores: f64,
    /// CPU of the readings themselves.
    pub probe_share_of_core: f64,
    /// One counter of one group of one URL each.
    pub weights: Vec<Weight>,
    /// Empty with several URLs.
    pub latency_ns: Latencies,
    pub urls: Vec<WeighedUrl>,
    /// Most expensive first.
    pub findings: Vec<Finding>,
    /// What the traced requests did.
    pub counts: Vec<Count>,
    /// Statements with the most database time, most expensive first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<Statement>,
    /// Set if most of the CPU is in no finding.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<NextStep>,
    pub not_looked_for: Vec<NotLookedFor>,
    pub not_judged: Vec<NotJudged>,
    /// Of tracing.
    pub lost_events: u64,
    /// Requests behind the counts, per page; may be missing in documents of version 0.1.
    pub traced: Vec<Traced>,
    /// Null if not looked for.
    pub left_behind: Option<Vec<LeftBehind>>,
    /// Hosts and exporters whose counters were read at the same phase edges; may be missing in documents of version
    /// 0.1.
    pub hosts: Vec<WeighedHost>,
    pub gates: Vec<Gate>,
    /// Sentences on the limits of the figures.
    pub warnings: Vec<String>,
}

/// One counter of one group of one URL.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Weight {
    pub url: String,
    /// `machine` is the machine as a whole.
    pub group: String,
    /// Host with whose name the group's begins; `None` for the machine that measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `cpu`, `read_bytes` and so on.
    pub counter: String,
    /// `ns`, `B` or `1`.
    pub unit: String,
    pub per_request: f64,
    pub low: f64,
    pub high: f64,
    /// The largest effect that the run could not distinguish from nothing.
    pub noise_floor: f64,
    /// Whether it follows the requests.
    pub follows: bool,
    /// Whether requests were seen to pass through the group.
    pub on_path: bool,
    /// The plain ratio of sums.
    pub mean: f64,
    pub blocks: u64,
    /// After control of false discoveries.
    pub adjusted_p: f64,
    /// Sampled by the kernel, not counted.
    pub approximate: bool,
    /// Too low: records of ended processes were lost.
    pub invalid: bool,
    /// For `cpu`: its part of the URL's total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<Span>,
    /// For `cpu`: its part in user mode, sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_share: Option<Span>,
}

/// A host or an exporter whose counters were read at the same phase edges.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct WeighedHost {
    /// As the user named it.
    pub name: String,
    /// `host` or `exporter`.
    pub kind: String,
    /// Round trip that most readings did not exceed.
    pub round_trip_ns: Option<u64>,
    pub processors: Option<u64>,
    /// Counters of groups examined.
    pub series: u64,
    /// Counted blocks for which it has all readings.
    pub blocks: u64,
    /// Cost of the agent and its connection there.
    pub agent_share_of_core: Option<f64>,
    /// Why it left before the end; null if it stayed.
    pub gone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
}

/// CPU of one request on one machine.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct HostCpu {
    /// Null for the machine that measured.
    pub host: Option<String>,
    /// All of its groups that follow.
    pub cpu_ns: Span,
    /// May be missing in documents of version 0.1.
    pub blocks: Option<u64>,
    /// Maximum of all its cores.
    pub requests_per_machine_second: Option<Span>,
}

/// One page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct WeighedUrl {
    pub url: String,
    /// Short name.
    pub name: String,
    pub http: String,
    /// Counted requests.
    pub requests: u64,
    /// Usable blocks.
    pub blocks: u64,
    /// Of the first response.
    pub response_bytes: u64,
    /// Missing in documents of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Answers whose bodies differ from the first.
    pub changed_bodies: u64,
    /// Opened while measuring.
    pub connections: u64,
    /// From the planned time.
    pub latency_ns: Latencies,
    pub latency_intervals_ns: LatencyIntervals,
    /// Unladen's own CPU per request.
    pub client_cpu_ns: Option<Span>,
    /// Per request, for all groups that follow.
    pub total_cpu_ns: Option<Span>,
    /// Blocks behind the total, if groups of other hosts are part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_blocks: Option<u64>,
    /// `total_cpu_ns` by machine, if groups of other hosts follow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_host: Vec<HostCpu>,
    pub not_following: Option<NotFollowing>,
    pub path: Path,
    /// Maximum, if CPU is what runs out.
    pub requests_per_core_second: Option<Span>,
    /// Maximum, if CPU is what runs out.
    pub requests_per_machine_second: Option<Span>,
}

/// The sum of all groups that do not follow the requests.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct NotFollowing {
    pub groups: u64,
    /// Per request.
    pub cpu_ns: Span,
    /// The largest effect that could not be distinguished from nothing.
    pub noise_floor: f64,
}

/// The groups that requests pass through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Path {
    /// In the order of the requests.
    pub groups: Vec<String>,
    /// Groups on other hosts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<FarStation>,
    /// Peers beyond the machine.
    pub not_looked_at: Vec<Peer>,
    /// Why the rest of the path is unknown.
    pub unknown: Option<UnknownPath>,
}

/// Groups that accept connections at an address of another host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct FarStation {
    pub peer: String,
    /// With the host's name in front.
    pub groups: Vec<String>,
    /// Whether a request was seen to go there; otherwise only a connection was.
    pub certain: bool,
    /// Hosts whose word alone this rests on: that the address is theirs, that there was such a connection.
    pub on_word_of: Vec<String>,
}

/// A peer that was not examined.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Peer {
    pub peer: String,
    /// Protocol of the connection.
    pub protocol: String,
    pub why: String,
}

/// Why the rest of the path is unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct UnknownPath {
    pub why: String,
    /// What would reveal it.
    pub takes: String,
}

/// How often the traced requests did something.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Count {
    pub url: String,
    /// `warm` or `fresh`.
    pub state: String,
    pub group: String,
    /// `files.checked`, `sql.statements`, `syscall.openat.ENOENT`.
    pub counter: String,
    pub per_request: f64,
    pub low: f64,
    pub high: f64,
    /// The largest count that the run could not distinguish from nothing.
    pub noise_floor: f64,
    /// Lost events may belong to it, so it may be too low.
    pub invalid: bool,
}

/// A statement that takes a noticeable part of a request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Statement {
    pub url: String,
    pub group: String,
    /// Peer of the connection, or the library.
    pub database: String,
    /// With literals replaced by `?`.
    pub statement: String,
    /// Executions per request.
    pub calls: Span,
    /// Time a request waits for the answers.
    pub time_ns: Span,
}

/// What to do if most of the CPU is in no finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct NextStep {
    pub url: String,
    /// A sentence without a full stop.
    pub why: String,
    pub command: String,
}

/// Requests that were traced.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Traced {
    pub url: String,
    /// `warm` or `fresh`.
    pub state: String,
    pub requests: u64,
    /// For fresh processes: time of these requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<Span>,
}

/// Files created during the run that still exist.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LeftBehind {
    pub folder: String,
    pub files: u64,
    pub bytes: u64,
}
