//! The principal type is [`WeighDocument`], `unladen.weigh/1`.

use serde::{Deserialize, Serialize};
use unladen_quantity::{Kind, Span, plain};

use crate::about::About;
use crate::answer::Answer;
use crate::figure::{Latencies, LatencyIntervals};
use crate::finding::{Finding, NotJudged, NotLookedFor};
use crate::machine::Machine;
use crate::prove::Gate;

/// Output of `unladen weigh --json`. With `--replay` it has only findings and counts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct WeighDocument {
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    pub target: String,
    pub requests: u64,
    pub elapsed_ns: u64,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    pub phase_ns: u64,
    pub settle_ns: u64,
    pub concurrency: u64,
    pub rate: Option<f64>,
    pub keep_alive: bool,
    pub keep_cookies: bool,
    pub processors: u64,
    pub background_cores: f64,
    pub probe_share_of_core: f64,
    pub weights: Vec<Weight>,
    pub latency_ns: Latencies,
    pub urls: Vec<WeighedUrl>,
    pub findings: Vec<Finding>,
    pub counts: Vec<Count>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<Statement>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<NextStep>,
    pub not_looked_for: Vec<NotLookedFor>,
    pub not_judged: Vec<NotJudged>,
    pub lost_events: u64,
    /// Requests behind the counts, per page; may be missing in documents of version 0.1.
    pub traced: Vec<Traced>,
    pub left_behind: Option<Vec<LeftBehind>>,
    /// Hosts and exporters whose counters were read at the same phase edges; may be missing in documents of version
    /// 0.1.
    pub hosts: Vec<WeighedHost>,
    pub gates: Vec<Gate>,
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
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Weight {
    pub url: String,
    pub group: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `cpu`, `read_bytes` and so on.
    pub counter: String,
    /// `ns`, `B` or `1`.
    pub unit: String,
    pub per_request: f64,
    pub low: f64,
    pub high: f64,
    pub noise_floor: f64,
    pub follows: bool,
    pub on_path: bool,
    pub mean: f64,
    pub blocks: u64,
    pub adjusted_p: f64,
    /// What tables call the counter; documents of version 0.1 may lack it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Requests took the processors from it: it did less while they ran.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub displaced: bool,
    /// Sampled by the kernel, not counted.
    pub approximate: bool,
    pub invalid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<Span>,
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
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct WeighedHost {
    pub name: String,
    /// `host` or `exporter`.
    pub kind: String,
    pub round_trip_ns: Option<u64>,
    pub processors: Option<u64>,
    pub series: u64,
    pub blocks: u64,
    pub agent_share_of_core: Option<f64>,
    pub gone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
}

/// CPU of one request on one machine.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct HostCpu {
    pub host: Option<String>,
    pub cpu_ns: Span,
    /// May be missing in documents of version 0.1.
    pub blocks: Option<u64>,
    pub requests_per_machine_second: Option<Span>,
}

/// One page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct WeighedUrl {
    pub url: String,
    pub name: String,
    pub http: String,
    pub requests: u64,
    pub blocks: u64,
    pub response_bytes: u64,
    /// Missing in documents of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    pub changed_bodies: u64,
    pub connections: u64,
    pub latency_ns: Latencies,
    pub latency_intervals_ns: LatencyIntervals,
    pub client_cpu_ns: Option<Span>,
    pub total_cpu_ns: Option<Span>,
    /// Blocks behind the total, if groups of other hosts are part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_blocks: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_host: Vec<HostCpu>,
    pub not_following: Option<NotFollowing>,
    pub path: Path,
    pub requests_per_core_second: Option<Span>,
    pub requests_per_machine_second: Option<Span>,
}

/// The sum of all groups that do not follow the requests.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct NotFollowing {
    pub groups: u64,
    pub cpu_ns: Span,
    pub noise_floor: f64,
}

/// The groups that requests pass through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Path {
    pub groups: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<FarStation>,
    pub not_looked_at: Vec<Peer>,
    pub unknown: Option<UnknownPath>,
}

/// Groups that accept connections at an address of another host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct FarStation {
    pub peer: String,
    pub groups: Vec<String>,
    pub certain: bool,
    /// Hosts whose word alone this rests on: that the address is theirs, that there was such a connection.
    pub on_word_of: Vec<String>,
}

/// A peer that was not examined.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Peer {
    pub peer: String,
    pub protocol: String,
    pub why: String,
}

/// Why the rest of the path is unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct UnknownPath {
    pub why: String,
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
    pub noise_floor: f64,
    pub invalid: bool,
}

/// A statement that takes a noticeable part of a request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Statement {
    pub url: String,
    pub group: String,
    pub database: String,
    pub statement: String,
    pub calls: Span,
    pub time_ns: Span,
}

/// What to do if most of the CPU is in no finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct NextStep {
    pub url: String,
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
