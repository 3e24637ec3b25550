//! The principal type is [`Weigh`]: all that `unladen weigh` found.

use std::time::Duration;

use unladen_document::{Answer, FarStation, LeftBehind, Machine};
use unladen_lockin::Estimate;
use unladen_quantity::{Kind, Span};
use unladen_trace::PathSeen;

use crate::ended::Ended;
use crate::inside::Inside;
use crate::latency::Latency;
use crate::warning::Warning;

/// The result of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Weigh {
    /// How it was measured.
    pub setup: Setup,
    pub ended: Ended,
    /// What was found, URL by URL.
    pub urls: Vec<WeighedUrl>,
    /// Files that the requests have left behind, if they were looked for.
    pub left_behind: Option<Vec<LeftBehind>>,
    /// Counters that were read elsewhere: hosts and exporters, in the order in which they were named.
    pub hosts: Vec<WeighedHost>,
    /// What the machine did meanwhile.
    pub machine: Option<Machine>,
    /// What the reader should know before believing it.
    pub warnings: Vec<Warning>,
}

/// A host or an exporter whose counters were read at the same edges of phases.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WeighedHost {
    /// As the user named it; its groups are `NAME/group`.
    pub name: String,
    /// Whether it tells metrics by HTTP, and is no host with an agent.
    pub is_exporter: bool,
    /// The way there and back that most readings took at most.
    pub round_trip: Option<Duration>,
    pub processors: Option<usize>,
    /// How many counters of groups were looked at.
    pub series: usize,
    /// Blocks that count, of which it has all readings.
    pub blocks: usize,
    /// What the agent and the way to it took there, as a share of one core.
    pub own_share: Option<f64>,
    /// Why it went away before the end.
    pub gone: Option<String>,
    /// What its machine did meanwhile.
    pub machine: Option<Machine>,
}

/// The CPU of one request on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct HostCpu {
    /// The host; `None` of the machine that measured.
    pub host: Option<String>,
    /// CPU of all of its groups that follow, in ns.
    pub cpu: Estimate,
    /// Requests a second that all of its cores serve at most, if CPU is what runs out.
    pub capacity: Option<Span>,
}

/// How the run was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// The seed that repeats the same plan.
    pub seed: u64,
    /// From the first phase to the last.
    pub elapsed: Duration,
    /// Mean length of a phase.
    pub phase: Duration,
    /// The part of an on phase after its last response, kept for work done after answering.
    pub settle: Duration,
    /// Requests under way at once.
    pub concurrency: usize,
    /// Requests a second, if paced.
    pub rate: Option<f64>,
    /// Whether connections are kept.
    pub keep_alive: bool,
    /// Whether cookies that answers set were sent back.
    pub keep_cookies: bool,
    /// Processors of this machine.
    pub processors: usize,
    /// Processors that all other work kept busy while no requests ran.
    pub background_cores: f64,
    /// The probes' own CPU during the phases, as a share of one core.
    pub probe_share: f64,
}

/// One URL's results.
#[derive(Debug, Clone, PartialEq)]
pub struct WeighedUrl {
    /// Its name in tables: the label from the list of URLs, or the URL.
    pub name: String,
    pub url: String,
    /// The version of HTTP spoken.
    pub http: String,
    /// Requests counted.
    pub requests: u64,
    /// Blocks counted.
    pub blocks: usize,
    /// Response length in bytes, of the first response.
    pub response_bytes: u64,
    /// What came when it was asked for; none in documents of earlier versions.
    pub answer: Option<Answer>,
    /// What the client saw.
    pub client: Client,
    /// Every counter of every group that counted anything.
    pub weights: Vec<WeightRow>,
    /// CPU of all groups that follow, in ns.
    pub total_cpu: Option<Estimate>,
    /// The same machine by machine, where groups of other hosts follow.
    pub by_host: Vec<HostCpu>,
    /// CPU of all that does not follow.
    pub rest: Option<Rest>,
    /// What the total means.
    pub capacity: Option<UrlCapacity>,
    /// Who its requests go through.
    pub path: Path,
    /// Some of the phases, for the picture.
    pub trace: Vec<PhaseTrace>,
    /// What each request repeats; `None` if that was not asked for.
    pub inside: Option<Inside>,
}

/// Who the requests go through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path {
    /// The groups of this machine, in the order in which they are asked.
    pub groups: Vec<String>,
    /// Who takes it on other hosts.
    pub elsewhere: Vec<FarStation>,
    /// Who else, and what is not known.
    pub seen: PathSeen,
}

/// What the client did and saw.
#[derive(Debug, Clone, PartialEq)]
pub struct Client {
    /// Latencies, from sending to the last byte (paced: from the planned time).
    pub latency: Option<Latency>,
    /// Connections it opened.
    pub connections: u64,
    /// Responses whose body was not that of the first.
    pub changed: u64,
    /// Its own CPU per request, ns.
    pub cpu: Option<Estimate>,
}

/// One counter of one group, per request.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightRow {
    /// The group's name, with that of its host before it: `db/postgres`.
    pub group: String,
    /// The host; `None` of the machine that measured.
    pub host: Option<String>,
    /// Whether the group is the machine as a whole.
    pub is_machine: bool,
    /// The counter's stable name.
    pub counter: &'static str,
    /// What a table calls it.
    pub title: &'static str,
    /// Its unit in results: `ns`, `B`, `1`.
    pub unit: &'static str,
    /// How its numbers are written.
    pub kind: Kind,
    /// Sampled by the kernel, not counted.
    pub approximate: bool,
    pub per_request: Estimate,
    /// The noise floor, in the same unit.
    pub noise_floor: f64,
    /// p-value after control of false discoveries.
    pub adjusted_p: f64,
    /// It follows the requests.
    pub follows: bool,
    /// The requests were seen to go through the group, whether or not that is told from its other work.
    pub on_path: bool,
    /// It shrinks when requests run.
    pub displaced: bool,
    /// Records of ended processes were lost while it was counted.
    pub invalid: bool,
    /// Its part of the URL's total, for `cpu`.
    pub share: Option<Estimate>,
    /// The part of it in user mode, for `cpu`: sampled by the kernel.
    pub user: Option<Estimate>,
}

/// What does not follow the requests, summed up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rest {
    pub groups: usize,
    /// Their CPU per request, ns: indistinguishable from nothing.
    pub cpu: Estimate,
    /// Its noise floor, ns.
    pub noise_floor: f64,
}

/// What a machine can serve, if CPU is what runs out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UrlCapacity {
    /// Requests a second that one core serves at most.
    pub per_core: Span,
    /// Requests a second that all cores of this machine serve at most.
    pub machine: Span,
}

/// CPU in one phase, for the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseTrace {
    /// Whether requests ran.
    pub is_on: bool,
    /// Since the run's beginning.
    pub start: Duration,
    /// How long.
    pub length: Duration,
    /// Processors used, by group: (name, CPU time / time).
    pub cpu: Vec<(String, f64)>,
}

impl WeighedUrl {
    /// The weights that follow.
    pub fn following(&self) -> impl Iterator<Item = &WeightRow> {
        self.weights.iter().filter(|row| row.follows)
    }

    /// The groups on the requests' path whose CPU is not told from their other work; none of it where none was counted
    /// at all.
    pub fn untold(&self) -> impl Iterator<Item = (&str, Option<&WeightRow>)> {
        let cpu = |group: &str| self.weight(group, "cpu");
        let untold = self.path.groups.iter().map(move |group| (group.as_str(), cpu(group)));
        untold.filter(|(_, row)| row.is_none_or(|row| !row.follows))
    }

    /// Groups of which some counter follows, the machine apart; those with the most CPU first. A group that the requests
    /// pushed aside is none of them unless they go through it: its forced switches follow, and not its work.
    pub fn following_groups(&self) -> Vec<&str> {
        let mut groups: Vec<(&str, f64)> = Vec::new();
        let is_aside = |name: &str| self.weight(name, "cpu").is_some_and(|cpu| cpu.displaced && !cpu.on_path);
        for row in self.following().filter(|row| !row.is_machine && !is_aside(&row.group)) {
            let cpu = if row.counter == "cpu" { row.per_request.value } else { 0.0 };
            match groups.iter_mut().find(|(name, _)| *name == row.group) {
                Some((_, most)) => *most = most.max(cpu),
                None => groups.push((&row.group, cpu)),
            }
        }
        groups.sort_by(|a, b| b.1.total_cmp(&a.1));
        groups.into_iter().map(|(name, _)| name).collect()
    }

    /// Groups of a host, or of this machine, that may follow: by the interval of their CPU alone, before all groups are
    /// judged together. Those with the most CPU first, so many at most.
    pub fn perhaps_following_groups(&self, host: Option<&str>, most: usize) -> Vec<&str> {
        let perhaps = |row: &&WeightRow| {
            row.counter == "cpu"
                && row.host.as_deref() == host
                && !row.is_machine
                && row.per_request.low > 0.0
                && row.per_request.value > row.noise_floor
        };
        let mut rows: Vec<&WeightRow> = self.weights.iter().filter(perhaps).collect();
        rows.sort_by(|a, b| b.per_request.value.total_cmp(&a.per_request.value));
        rows.truncate(most);
        rows.into_iter().map(|row| row.group.as_str()).collect()
    }

    /// One counter of one group.
    pub fn weight(&self, group: &str, counter: &str) -> Option<&WeightRow> {
        self.weights.iter().find(|row| row.group == group && row.counter == counter)
    }
}

#[cfg(test)]
mod tests;
