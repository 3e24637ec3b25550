//! The principal type is [`WeighDocument`], `unladen.weigh/1`.

use serde::{Deserialize, Serialize};

use crate::about::About;
use crate::answer::Answer;
use crate::figure::{Latencies, LatencyIntervals, Span};
use crate::finding::{Finding, NotJudged, NotLookedFor};
use crate::machine::Machine;
use crate::prove::Gate;

/// What `unladen weigh --json` wrote. Of `weigh --from` there are findings and counts alone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct WeighDocument {
    /// `unladen.weigh/1`.
    pub schema: String,
    /// Where, when and how.
    #[serde(flatten)]
    pub about: About,
    /// The URLs, separated by blanks.
    pub target: String,
    /// Counted requests.
    pub requests: u64,
    /// From the first phase to the last.
    pub elapsed_ns: u64,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    /// Length of a phase.
    pub phase_ns: u64,
    /// Length of the gap after it.
    pub settle_ns: u64,
    /// The most requests under way at once.
    pub concurrency: u64,
    /// Requests a second as planned; null when back to back.
    pub rate: Option<f64>,
    /// Whether connections were kept.
    pub keep_alive: bool,
    /// Whether cookies that answers set were sent back.
    pub keep_cookies: bool,
    /// Processors of the machine.
    pub processors: u64,
    /// Processors that other work kept busy while no requests ran.
    pub background_cores: f64,
    /// CPU of the readings themselves, as a share of one core.
    pub probe_share_of_core: f64,
    /// One counter of one group of one URL each.
    pub weights: Vec<Weight>,
    /// Empty with several URLs.
    pub latency_ns: Latencies,
    /// By page.
    pub urls: Vec<WeighedUrl>,
    /// Patterns of waste, the most expensive first.
    pub findings: Vec<Finding>,
    /// What the traced requests did.
    pub counts: Vec<Count>,
    /// The statements that take most of the database's time, the dearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<Statement>,
    /// What to do where most of the CPU is in no finding.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<NextStep>,
    /// Rules that could not look.
    pub not_looked_for: Vec<NotLookedFor>,
    /// Parts of the path that were not judged.
    pub not_judged: Vec<NotJudged>,
    /// Lost events of tracing.
    pub lost_events: u64,
    /// Of how many requests the counts are, page by page; documents of version 0.1 may lack it.
    pub traced: Vec<Traced>,
    /// Files that requests left behind; null where files were not looked for.
    pub left_behind: Option<Vec<LeftBehind>>,
    /// Hosts and exporters whose counters were read at the same edges of phases; documents of version 0.1 may lack them.
    pub hosts: Vec<WeighedHost>,
    /// Rules of `--fail-on`.
    pub gates: Vec<Gate>,
    /// Sentences: what limits the figures.
    pub warnings: Vec<String>,
}

/// One counter of one group of one URL.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Weight {
    /// The page.
    pub url: String,
    /// Whose counter; `machine` is the machine as a whole.
    pub group: String,
    /// The host, whose name the group's begins with; none of the machine that measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `cpu`, `read_bytes` and so on.
    pub counter: String,
    /// `ns`, `B` or `1`.
    pub unit: String,
    /// The estimate.
    pub per_request: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
    /// The largest effect that the run could not have told from nothing.
    pub noise_floor: f64,
    /// Whether it follows the requests.
    pub follows: bool,
    /// Whether requests were seen to go through the group.
    pub on_path: bool,
    /// The plain ratio of sums.
    pub mean: f64,
    /// The blocks it rests on.
    pub blocks: u64,
    /// After control of false discoveries.
    pub adjusted_p: f64,
    /// What tables call the counter; documents of version 0.1 may lack it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Requests took the processors from it: it did less while they ran.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub displaced: bool,
    /// Sampled by the kernel, not counted.
    pub approximate: bool,
    /// Too low: records of ended processes were lost.
    pub invalid: bool,
    /// Of `cpu`: its part of the URL's total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<Span>,
    /// Of `cpu`: its part in user mode, sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_share: Option<Span>,
}

/// A host or an exporter whose counters were read at the same edges of phases.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct WeighedHost {
    /// As the user named it.
    pub name: String,
    /// `host` or `exporter`.
    pub kind: String,
    /// The way there and back that most readings took at most.
    pub round_trip_ns: Option<u64>,
    pub processors: Option<u64>,
    /// Counters of groups that were looked at.
    pub series: u64,
    /// Blocks that count, of which it has all readings.
    pub blocks: u64,
    /// What the agent and the way to it took there, as a share of one core.
    pub agent_share_of_core: Option<f64>,
    /// Why it went away before the end; null if it stayed.
    pub gone: Option<String>,
    /// What its machine did meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
}

/// The CPU of one request on one machine.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct HostCpu {
    /// The host; null of the machine that measured.
    pub host: Option<String>,
    /// CPU of all of its groups that follow.
    pub cpu_ns: Span,
    /// The blocks it rests on; documents of version 0.1 may lack it.
    pub blocks: Option<u64>,
    /// What all of its cores serve at most.
    pub requests_per_machine_second: Option<Span>,
}

/// One page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct WeighedUrl {
    /// The page.
    pub url: String,
    /// Its short name.
    pub name: String,
    /// The version of HTTP that was spoken.
    pub http: String,
    /// Counted requests.
    pub requests: u64,
    /// Usable blocks.
    pub blocks: u64,
    /// Of the first response.
    pub response_bytes: u64,
    /// What came when it was asked for; documents of earlier versions lack it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Answers whose bodies differed from the first.
    pub changed_bodies: u64,
    /// Opened while measuring.
    pub connections: u64,
    /// From the planned time.
    pub latency_ns: Latencies,
    /// Of the quantiles that carry one, and of the mean.
    pub latency_intervals_ns: LatencyIntervals,
    /// Unladen's own CPU a request.
    pub client_cpu_ns: Option<Span>,
    /// CPU a request of all groups that follow.
    pub total_cpu_ns: Option<Span>,
    /// The blocks that the total rests on, where groups of other hosts are in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_blocks: Option<u64>,
    /// The same machine by machine, where groups of other hosts follow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_host: Vec<HostCpu>,
    /// All groups that do not follow, together.
    pub not_following: Option<NotFollowing>,
    /// Who the requests go through.
    pub path: Path,
    /// At most, if CPU is the bound.
    pub requests_per_core_second: Option<Span>,
    /// At most, if CPU is the bound.
    pub requests_per_machine_second: Option<Span>,
}

/// Groups that do not follow the requests, together.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct NotFollowing {
    pub groups: u64,
    /// Their CPU a request.
    pub cpu_ns: Span,
    /// The largest effect that could not have been told.
    pub noise_floor: f64,
}

/// Who the requests go through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Path {
    /// The groups, in that order.
    pub groups: Vec<String>,
    /// Who takes it on other hosts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<FarStation>,
    /// Peers beyond the machine.
    pub not_looked_at: Vec<Peer>,
    /// Why the rest of it is not known.
    pub unknown: Option<UnknownPath>,
}

/// Who takes connections at an address of another host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct FarStation {
    /// The address.
    pub peer: String,
    /// The groups, with the host's name before theirs.
    pub groups: Vec<String>,
    /// Whether a request was seen to go there; else a connection was.
    pub certain: bool,
    /// The hosts on whose word alone that rests: that the address is theirs, that there was such a connection.
    pub on_word_of: Vec<String>,
}

/// A peer that was not looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Peer {
    /// Its address.
    pub peer: String,
    /// What is spoken to it.
    pub protocol: String,
    /// Why it was not looked at.
    pub why: String,
}

/// Why the rest of the path is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct UnknownPath {
    pub why: String,
    /// What knowing it takes.
    pub takes: String,
}

/// How often the traced requests did something.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Count {
    /// The page.
    pub url: String,
    /// `warm` or `fresh`.
    pub state: String,
    pub group: String,
    /// `files.checked`, `sql.statements`, `syscall.openat.ENOENT`.
    pub counter: String,
    /// The estimate.
    pub per_request: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
    /// The largest count that the run could not have told from nothing.
    pub noise_floor: f64,
    /// Lost events may belong to it: perhaps too low.
    pub invalid: bool,
}

/// A statement that takes a noticeable part of a request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Statement {
    /// The page.
    pub url: String,
    /// Who asks.
    pub group: String,
    /// The peer of the connection, or the library.
    pub database: String,
    /// Its text with each literal as `?`.
    pub statement: String,
    /// How often a request asks it.
    pub calls: Span,
    /// How long a request waits for its answers.
    pub time_ns: Span,
}

/// What to do where most of the CPU is in no finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct NextStep {
    /// The page.
    pub url: String,
    /// Why, in a sentence without a full stop.
    pub why: String,
    pub command: String,
}

/// Requests that were traced.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Traced {
    /// Of which page.
    pub url: String,
    /// `warm` or `fresh`.
    pub state: String,
    pub requests: u64,
    /// Of fresh processes: how long these requests took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<Span>,
}

/// Files that were made during the run and still exist.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LeftBehind {
    pub folder: String,
    pub files: u64,
    /// How large in all.
    pub bytes: u64,
}
