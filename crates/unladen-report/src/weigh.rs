//! The principal type is [`Weigh`]: everything that `unladen weigh` found.

use std::time::Duration;

use unladen_document::{FarStation, Latencies, Path, Peer, UnknownPath, WeighDocument, WeighedUrl, Weight};
use unladen_trace::PathSeen;

use crate::inside::Inside;

/// The result of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Weigh {
    /// How the run was made, what holds for all pages, and conditions on figures; what the pages have is not in it yet.
    pub run: WeighDocument,
    pub pages: Vec<WeighedPage>,
}

/// One page's results.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WeighedPage {
    pub url: WeighedUrl,
    /// Every counter of every group that counted anything.
    pub weights: Vec<Weight>,
    /// Some of the phases, for the picture; documents do not have them.
    pub trace: Vec<PhaseTrace>,
    /// What each request repeats; `None` if not asked for.
    pub inside: Option<Inside>,
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

impl Weigh {
    /// The whole document.
    pub fn document(&self) -> WeighDocument {
        let urls = || self.pages.iter().map(|page| &page.url);
        let mut document = WeighDocument {
            schema: WeighDocument::SCHEMA.to_owned(),
            target: urls().map(|url| url.url.as_str()).collect::<Vec<_>>().join(" "),
            requests: urls().map(|url| url.requests).sum(),
            weights: self.pages.iter().flat_map(|page| page.weights.iter().cloned()).collect(),
            // Latencies of different pages do not add up to anything: with several URLs see `urls`.
            latency_ns: match self.pages.as_slice() {
                [only] => only.url.latency_ns.clone(),
                _ => Latencies::new(),
            },
            urls: urls().cloned().collect(),
            ..self.run.clone()
        };
        self.pages.iter().filter_map(|page| page.inside.as_ref()).for_each(|inside| inside.add_to(&mut document));
        document
    }

    /// Of a kept document.
    pub(crate) fn kept(document: &WeighDocument) -> Self {
        let page = |url: &WeighedUrl| WeighedPage {
            weights: document.weights.iter().filter(|weight| weight.url == url.url).cloned().collect(),
            inside: Inside::kept(document, &url.url),
            url: url.clone(),
            trace: Vec::new(),
        };
        let pages = document.urls.iter().map(page).collect();
        // What the pages have is not in it.
        let run = WeighDocument {
            findings: Vec::new(),
            counts: Vec::new(),
            statements: Vec::new(),
            next_steps: Vec::new(),
            not_looked_for: Vec::new(),
            not_judged: Vec::new(),
            lost_events: 0,
            traced: Vec::new(),
            gates: document.gates.iter().filter(|gate| !gate.is_of_rule()).cloned().collect(),
            ..document.clone()
        };
        Self { run, pages }
    }
}

impl WeighedPage {
    /// The weights that follow the requests.
    pub fn following(&self) -> impl Iterator<Item = &Weight> {
        self.weights.iter().filter(|row| row.follows)
    }

    /// Groups on the requests' path whose CPU is indistinguishable from their other work, with that CPU; `None` if none
    /// was counted.
    pub fn untold(&self) -> impl Iterator<Item = (&str, Option<&Weight>)> {
        let cpu = |group: &str| self.weight(group, "cpu");
        let untold = self.url.path.groups.iter().map(move |group| (group.as_str(), cpu(group)));
        untold.filter(|(_, row)| row.is_none_or(|row| !row.follows))
    }

    /// Groups with a counter that follows, without the machine, those with the most CPU first. A group that requests
    /// displaced is left out unless they pass through it: its forced switches follow, but not its work.
    pub fn following_groups(&self) -> Vec<&str> {
        let mut groups: Vec<(&str, f64)> = Vec::new();
        let is_aside = |name: &str| self.weight(name, "cpu").is_some_and(|cpu| cpu.displaced && !cpu.on_path);
        for row in self.following().filter(|row| !row.is_machine() && !is_aside(&row.group)) {
            let cpu = if row.counter == "cpu" { row.per_request } else { 0.0 };
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
        let perhaps = |row: &&Weight| {
            row.counter == "cpu"
                && row.host.as_deref() == host
                && !row.is_machine()
                && row.low > 0.0
                && row.per_request > row.noise_floor
        };
        let mut rows: Vec<&Weight> = self.weights.iter().filter(perhaps).collect();
        rows.sort_by(|a, b| b.per_request.total_cmp(&a.per_request));
        rows.truncate(most);
        rows.into_iter().map(|row| row.group.as_str()).collect()
    }

    /// Finds one counter of one group.
    pub fn weight(&self, group: &str, counter: &str) -> Option<&Weight> {
        self.weights.iter().find(|row| row.group == group && row.counter == counter)
    }
}

/// The groups that requests pass through: those of this machine, in the order of the requests, stations on other hosts,
/// and what else was seen.
pub fn path_of(groups: Vec<String>, elsewhere: Vec<FarStation>, seen: &PathSeen) -> Path {
    let word = |protocol| serde_json::to_value(protocol).ok()?.as_str().map(str::to_owned);
    let peers = seen.beyond.iter().map(|seen| Peer {
        peer: seen.peer.clone(),
        protocol: word(seen.protocol).unwrap_or_default(),
        why: seen.why.as_str().to_owned(),
    });
    let unknown = seen.unknown.as_ref();
    Path {
        groups,
        elsewhere,
        not_looked_at: peers.collect(),
        unknown: unknown.map(|unknown| UnknownPath { why: unknown.why.clone(), takes: unknown.takes.clone() }),
    }
}

#[cfg(test)]
mod tests;
