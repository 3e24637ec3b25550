//! The principal type is [`Weigh`]: everything that `unladen weigh` found.

use std::time::Duration;

use unladen_document::{Answer, FarStation, LeftBehind, Machine, WeighedHost};
use unladen_lockin::Estimate;
use unladen_quantity::{Kind, Span};
use unladen_trace::PathSeen;

use crate::ended::Ended;
use crate::inside::Inside;
use crate::latency::Latency;
use crate::warning::Warning;

/// The result of one run: the figures of `unladen.weigh/1`, whose schema describes each of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Weigh {
    pub setup: Setup,
    pub ended: Ended,
    pub urls: Vec<WeighedUrl>,
    pub left_behind: Option<Vec<LeftBehind>>,
    /// Hosts and exporters, in the order in which they were named.
    pub hosts: Vec<WeighedHost>,
    pub machine: Option<Machine>,
    pub warnings: Vec<Warning>,
}

/// CPU of one request on one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct HostCpu {
    pub host: Option<String>,
    /// All of its groups that follow, in ns.
    pub cpu: Estimate,
    /// Maximum requests per second of all its cores, if CPU is what runs out.
    pub capacity: Option<Span>,
}

/// How the run was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    pub seed: u64,
    pub elapsed: Duration,
    pub phase: Duration,
    /// The end of an on phase after its last response, reserved for work after answering.
    pub settle: Duration,
    /// Requests under way at once.
    pub concurrency: usize,
    pub rate: Option<f64>,
    pub keep_alive: bool,
    pub keep_cookies: bool,
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
    pub http: String,
    pub requests: u64,
    pub blocks: usize,
    pub response_bytes: u64,
    /// Answer to the request; `None` in documents of earlier versions.
    pub answer: Option<Answer>,
    pub client: Client,
    /// Every counter of every group that counted anything.
    pub weights: Vec<WeightRow>,
    /// All groups that follow, in ns.
    pub total_cpu: Option<Estimate>,
    /// `total_cpu` by machine, if groups of other hosts follow.
    pub by_host: Vec<HostCpu>,
    pub rest: Option<Rest>,
    pub capacity: Option<UrlCapacity>,
    pub path: Path,
    /// Some of the phases, for the picture.
    pub trace: Vec<PhaseTrace>,
    /// What each request repeats; `None` if not asked for.
    pub inside: Option<Inside>,
}

/// The groups that requests pass through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path {
    /// On this machine, in the order of the requests.
    pub groups: Vec<String>,
    /// Stations on other hosts.
    pub elsewhere: Vec<FarStation>,
    /// Further stations, and what is unknown.
    pub seen: PathSeen,
}

/// What the client did and saw.
#[derive(Debug, Clone, PartialEq)]
pub struct Client {
    /// From sending to the last byte (paced: from the planned time).
    pub latency: Option<Latency>,
    pub connections: u64,
    pub changed: u64,
    /// Its own CPU per request, in ns.
    pub cpu: Option<Estimate>,
}

/// One counter of one group, per request.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightRow {
    /// With the name of its host in front: `db/postgres`.
    pub group: String,
    /// `None` for the machine that measured.
    pub host: Option<String>,
    pub is_machine: bool,
    pub counter: &'static str,
    pub title: &'static str,
    pub unit: &'static str,
    pub kind: Kind,
    pub approximate: bool,
    pub per_request: Estimate,
    pub noise_floor: f64,
    pub adjusted_p: f64,
    pub follows: bool,
    /// The requests were seen to pass through the group, whether or not its other work hides that.
    pub on_path: bool,
    /// It shrinks when requests run.
    pub displaced: bool,
    pub invalid: bool,
    /// Its part of the URL's total, for `cpu`.
    pub share: Option<Estimate>,
    /// Its part in user mode, for `cpu`: sampled by the kernel.
    pub user: Option<Estimate>,
}

/// The sum of everything that does not follow the requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rest {
    pub groups: usize,
    /// Per request in ns: indistinguishable from nothing.
    pub cpu: Estimate,
    /// In ns.
    pub noise_floor: f64,
}

/// What a machine can serve, if CPU is what runs out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UrlCapacity {
    /// Maximum requests per second of one core.
    pub per_core: Span,
    /// Maximum requests per second of all cores of this machine.
    pub machine: Span,
}

/// CPU in one phase, for the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseTrace {
    pub is_on: bool,
    pub start: Duration,
    pub length: Duration,
    /// Processors used, by group: (name, CPU time / time).
    pub cpu: Vec<(String, f64)>,
}

impl WeighedUrl {
    /// The weights that follow the requests.
    pub fn following(&self) -> impl Iterator<Item = &WeightRow> {
        self.weights.iter().filter(|row| row.follows)
    }

    /// Groups on the requests' path whose CPU is indistinguishable from their other work, with that CPU; `None` if none
    /// was counted.
    pub fn untold(&self) -> impl Iterator<Item = (&str, Option<&WeightRow>)> {
        let cpu = |group: &str| self.weight(group, "cpu");
        let untold = self.path.groups.iter().map(move |group| (group.as_str(), cpu(group)));
        untold.filter(|(_, row)| row.is_none_or(|row| !row.follows))
    }

    /// Groups with a counter that follows, without the machine, those with the most CPU first. A group that requests
    /// displaced is left out unless they pass through it: its forced switches follow, but not its work.
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

    /// Groups of a host, or of this machine, that may follow, judged by the interval of their CPU alone, before all
    /// groups are judged together. At most `most`, those with the most CPU first.
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

    /// Finds one counter of one group.
    pub fn weight(&self, group: &str, counter: &str) -> Option<&WeightRow> {
        self.weights.iter().find(|row| row.group == group && row.counter == counter)
    }
}

#[cfg(test)]
mod tests;
