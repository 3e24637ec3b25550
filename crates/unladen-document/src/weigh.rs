//! The principal type is [`WeighDocument`], `unladen.weigh/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unladen_quantity::{Kind, Span, plain};

use crate::about::About;
use crate::answer::Answer;
use crate::figure::{Latencies, LatencyIntervals};
use crate::finding::{Finding, NotJudged, NotLookedFor};
use crate::machine::Machine;
use crate::prove::Gate;

/// Output of `unladen weigh --json`. With `--replay` it has only findings and counts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
#[schemars(title = "Result of unladen weigh")]
pub struct WeighDocument {
    /// The name of this schema, with its number.
    #[schemars(extend("const" = WeighDocument::SCHEMA))]
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    /// The URLs, separated by blanks.
    pub target: String,
    /// Counted requests.
    pub requests: u64,
    /// The time from the first phase to the last, in ns.
    pub elapsed_ns: u64,
    /// How the run ended.
    #[schemars(extend("enum" = ["complete", "interrupted", "failed"]))]
    pub ended: String,
    /// The length of a phase, in ns.
    pub phase_ns: u64,
    /// The length of the gap after a phase, in ns.
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
    /// Latencies in ns: mean, sd, p50, p75, p90, p95, p99, max; empty with several URLs.
    pub latency_ns: Latencies,
    /// The pages.
    pub urls: Vec<WeighedUrl>,
    /// Patterns of waste, the most expensive first.
    pub findings: Vec<Finding>,
    /// What the traced requests did.
    pub counts: Vec<Count>,
    /// Up to five statements that take most of the database's time, the dearest first; absent where all together take
    /// less than 5 % of the latency.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<Statement>,
    /// What to do where less than half of a page's CPU is in findings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<NextStep>,
    /// Rules that could not look.
    pub not_looked_for: Vec<NotLookedFor>,
    /// Parts of the requests' path that were not judged.
    pub not_judged: Vec<NotJudged>,
    /// Lost events of tracing; where it is not 0, counts that rest on events are too low.
    pub lost_events: u64,
    /// Of how many requests the counts are.
    pub traced: Vec<Traced>,
    /// Files that were created during the run and still exist; null where files were not looked for.
    pub left_behind: Option<Vec<LeftBehind>>,
    /// Hosts and exporters whose counters were read at the same phase edges; may be missing in documents of version
    /// 0.1.
    pub hosts: Vec<WeighedHost>,
    /// The rules of --fail-on, page by page.
    pub gates: Vec<Gate>,
    /// Sentences: what limits the figures.
    pub warnings: Vec<String>,
}

impl WeighDocument {
    /// Its schema. The number changes if a field is removed or changes its meaning, not if one is added.
    pub const SCHEMA: &str = "unladen.weigh/1";

    /// The findings in the order of their numbers in tables: page by page, those of first requests last.
    pub fn numbered(&self) -> Vec<&Finding> {
        let of_page = |page: &WeighedUrl| {
            let url = page.url.clone();
            let of =
                move |is_fresh: bool, finding: &Finding| finding.url == url && (finding.state == "fresh") == is_fresh;
            [false, true].into_iter().flat_map(move |is_fresh| {
                let of = of.clone();
                self.findings.iter().filter(move |finding| of(is_fresh, finding))
            })
        };
        self.urls.iter().flat_map(of_page).collect()
    }
}

/// One counter of one group of one URL.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Weight {
    /// The page.
    pub url: String,
    /// The group of processes; machine is the machine as a whole.
    pub group: String,
    /// The host or exporter that the group is of; absent for the machine that measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The counter.
    pub counter: String,
    /// ns, B (bytes) or 1.
    pub unit: String,
    /// How much a request, in the unit.
    pub per_request: f64,
    /// Lower end of the 95 % interval, in the unit.
    pub low: f64,
    /// Upper end of the 95 % interval, in the unit.
    pub high: f64,
    /// The largest effect that this run could not have told from nothing, in the unit.
    pub noise_floor: f64,
    /// Whether it follows the requests.
    pub follows: bool,
    /// Whether requests were seen to go through the group; where it does not follow them for certain, its work for them
    /// is between low and high.
    pub on_path: bool,
    /// The plain ratio of sums, in the unit.
    pub mean: f64,
    /// Blocks that it rests on.
    pub blocks: u64,
    /// The p-value after control of false discoveries.
    pub adjusted_p: f64,
    /// What tables call the counter.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// True if requests took the processors from it, so that it did less while they ran.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub displaced: bool,
    /// Whether it was sampled by the kernel, not counted.
    pub approximate: bool,
    /// Whether records of ended processes were lost meanwhile: the figure is too low.
    pub invalid: bool,
    /// For cpu of groups that follow: its part of the URL's total, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<Span>,
    /// Likewise its part in user mode, sampled, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_share: Option<Span>,
}

impl Weight {
    /// Whether it is of a whole machine, this one or a host.
    pub fn is_machine(&self) -> bool {
        const MACHINE: &str = "machine";
        match &self.host {
            None => self.group == MACHINE,
            Some(host) => {
                self.group.strip_prefix(host.as_str()).and_then(|rest| rest.strip_prefix('/')) == Some(MACHINE)
            }
        }
    }

    /// With its interval.
    pub fn span(&self) -> Span {
        Span { value: self.per_request, low: self.low, high: self.high }
    }
}

/// A column of the table of CPU, behind each group's own figure: the terminal, HTML and Markdown all draw it.
#[derive(Debug, Clone, Copy)]
pub struct CpuColumn {
    pub heading: &'static str,
    /// The cell of a weight and the number that it is sorted by; `None` where it has none.
    pub cell: fn(&Weight) -> Option<(String, f64)>,
}

/// On a narrow terminal the last one goes first.
pub const CPU_COLUMNS: [CpuColumn; 3] = [
    CpuColumn {
        heading: "noise floor",
        cell: |weight| Some((plain(Kind::Time, weight.noise_floor), weight.noise_floor)),
    },
    CpuColumn { heading: "share", cell: |weight| weight.share.map(|share| (share_text(share), share.value)) },
    CpuColumn { heading: "user/kernel", cell: |weight| weight.user_share.and_then(split) },
];

/// `98.8 ± 0.1 %`
fn share_text(share: Span) -> String {
    format!("{:.1} ± {:.1} %", share.value * 100.0, (share.margin() * 1_000.0).ceil() / 10.0)
}

/// The split of a group's CPU, which ticks sample; `None` with too few ticks.
fn split(user: Span) -> Option<(String, f64)> {
    const WIDEST: f64 = 0.1;
    if (user.high - user.low) / 2.0 > WIDEST {
        return None;
    }
    let percent = (user.value * 100.0).clamp(0.0, 100.0).round();
    let margin = (user.margin() * 100.0).ceil();
    Some((format!("≈ {percent:.0}/{:.0} ± {margin:.0} %", 100.0 - percent), user.value))
}

/// A host or an exporter whose counters were read at the same phase edges.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct WeighedHost {
    /// Its name.
    pub name: String,
    /// Which of the two.
    #[schemars(extend("enum" = ["host", "exporter"]))]
    pub kind: String,
    /// The slowest of the first readings, in ns; null if unknown.
    pub round_trip_ns: Option<u64>,
    /// Its processors; null if unknown.
    pub processors: Option<u64>,
    /// Counters of groups that were looked at.
    pub series: u64,
    /// Blocks of which it has all readings.
    pub blocks: u64,
    /// What reading took there, as a share of one core.
    pub agent_share_of_core: Option<f64>,
    /// Why it went away before the end; null if it stayed.
    pub gone: Option<String>,
    /// What its machine did meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
}

/// CPU of one request on one machine.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct HostCpu {
    /// The host; null for the machine that measured.
    pub host: Option<String>,
    /// CPU a request, in ns.
    pub cpu_ns: Span,
    /// Blocks that it rests on.
    #[schemars(required)]
    pub blocks: Option<u64>,
    /// Requests a second at most on that machine; null where its cores are those of another one too.
    pub requests_per_machine_second: Option<Span>,
}

/// One page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct WeighedUrl {
    /// Its URL.
    pub url: String,
    /// Its short name.
    pub name: String,
    /// The version of HTTP that was spoken.
    pub http: String,
    /// Counted requests.
    pub requests: u64,
    /// Blocks that were measured.
    pub blocks: u64,
    /// The size of the first response's body, in bytes.
    pub response_bytes: u64,
    /// What came when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Responses that differed from the first.
    pub changed_bodies: u64,
    /// Connections that were opened while measuring.
    pub connections: u64,
    /// Latencies in ns: mean, sd, p50, p75, p90, p95, p99, max.
    pub latency_ns: Latencies,
    /// The 95 % intervals of these, in ns.
    pub latency_intervals_ns: LatencyIntervals,
    /// Unladen's own CPU a request, in ns.
    pub client_cpu_ns: Option<Span>,
    /// CPU of all groups that follow, a request, in ns.
    pub total_cpu_ns: Option<Span>,
    /// Blocks that the total rests on, where there is by_host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_blocks: Option<u64>,
    /// The total machine by machine, where groups of other hosts follow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_host: Vec<HostCpu>,
    /// The groups that do not follow, added up.
    pub not_following: Option<NotFollowing>,
    /// The way of the requests.
    pub path: Path,
    /// Requests that a second of one core is enough for.
    pub requests_per_core_second: Option<Span>,
    /// Requests a second at most, if CPU is the bound.
    pub requests_per_machine_second: Option<Span>,
}

/// The sum of all groups that do not follow the requests.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct NotFollowing {
    /// How many.
    pub groups: u64,
    /// Their CPU a request, in ns.
    pub cpu_ns: Span,
    /// The largest effect that could not have been told from nothing, in ns.
    pub noise_floor: f64,
}

/// The groups that requests pass through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Path {
    /// The groups that they go through, in that order.
    pub groups: Vec<String>,
    /// The groups of other hosts that they go through.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<FarStation>,
    /// Peers that were not looked at.
    pub not_looked_at: Vec<Peer>,
    /// Why the rest of the way is not known; null where all of it is.
    pub unknown: Option<UnknownPath>,
}

/// Groups that accept connections at an address of another host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct FarStation {
    /// The address.
    pub peer: String,
    /// The groups, with the host's name before theirs.
    pub groups: Vec<String>,
    /// Whether requests were seen to go there; else a connection of those before.
    pub certain: bool,
    /// The hosts on whose word alone that rests.
    pub on_word_of: Vec<String>,
}

/// A peer that was not examined.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Peer {
    /// The address.
    pub peer: String,
    /// What is spoken: postgres, mysql, http, tls, fast-cgi, redis, memcached, dns, syslog, silent, other.
    pub protocol: String,
    /// Why not.
    pub why: String,
}

/// Why the rest of the path is unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct UnknownPath {
    /// Why.
    pub why: String,
    /// What it takes to know it.
    pub takes: String,
}

/// How often the traced requests did something.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Count {
    /// The page.
    pub url: String,
    /// Whose requests: warm, or fresh, the first ones of fresh processes.
    #[schemars(extend("enum" = ["warm", "fresh"]))]
    pub state: String,
    /// Who did it.
    pub group: String,
    /// What was counted: files.checked, sql.statements, syscall.openat.ENOENT and so on.
    pub counter: String,
    /// How often a request.
    pub per_request: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// The largest effect that could not have been told from nothing.
    pub noise_floor: f64,
    /// Whether lost events may belong to it, so that it may be too low.
    pub invalid: bool,
}

/// A statement that takes a noticeable part of a request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
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
    /// How long a request waits for its answers, in ns.
    pub time_ns: Span,
}

/// What to do if most of the CPU is in no finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct NextStep {
    /// The page.
    pub url: String,
    /// Why, in a sentence without a full stop.
    pub why: String,
    /// The command.
    pub command: String,
}

/// Requests that were traced.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Traced {
    /// The page.
    pub url: String,
    /// Whose requests.
    #[schemars(extend("enum" = ["warm", "fresh"]))]
    pub state: String,
    /// How many.
    pub requests: u64,
    /// Of fresh processes: the time of their first requests, in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<Span>,
}

/// Files created during the run that still exist.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct LeftBehind {
    /// The folder.
    pub folder: String,
    /// How many files.
    pub files: u64,
    /// Their size, in bytes.
    pub bytes: u64,
}
