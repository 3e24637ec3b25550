//! The principal type is [`Setting`]: how a run was measured.

use std::collections::{BTreeMap, BTreeSet};

use unladen_document::{Document, LoadAgent, ProveDocument, WeighDocument};

/// What must be equal in two runs for their figures to answer the same question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Setting {
    pub(crate) verb: &'static str,
    pub(crate) target: String,
    /// Pages, if there may be several.
    pub(crate) urls: Vec<String>,
    /// What an experiment switched: its arms except the baseline.
    arms: Vec<String>,
    options: BTreeMap<&'static str, String>,
}

impl Setting {
    pub(crate) fn of(document: &Document) -> Self {
        let rate = |rate: Option<f64>| rate.map_or_else(|| "none (back to back)".to_owned(), |rate| rate.to_string());
        let (urls, options): (Vec<String>, Vec<(&'static str, String)>) = match document {
            Document::Weigh(document) => (
                document.urls.iter().map(|url| url.url.clone()).collect(),
                vec![
                    ("concurrency", document.concurrency.to_string()),
                    ("rate", rate(document.rate)),
                    ("keep-alive", document.keep_alive.to_string()),
                    ("cookies", document.keep_cookies.to_string()),
                    ("the set of other hosts and exporters", hosts(document)),
                ],
            ),
            Document::Load(document) => (
                Vec::new(),
                vec![
                    ("concurrency", document.concurrency.to_string()),
                    ("rate", rate(document.rate)),
                    ("arrivals", document.arrivals.clone().unwrap_or_default()),
                    ("keep-alive", document.keep_alive.to_string()),
                    ("cookies", document.keep_cookies.to_string()),
                    ("HTTP version", document.http.clone()),
                    ("the set of sending hosts", agents(&document.agents)),
                ],
            ),
            Document::Prove(document) => (
                Vec::new(),
                vec![
                    ("design", document.design.clone()),
                    ("concurrency", document.concurrency.to_string()),
                    ("rate", rate(document.rate)),
                    ("cookies", document.keep_cookies.to_string()),
                    ("the set of sending hosts", agents(&document.agents)),
                ],
            ),
            Document::Profile(document) => {
                (Vec::new(), vec![("profiler", document.profiler.clone()), ("unit", document.unit.clone())])
            }
            Document::ProfileDiff(_) | Document::Bill(_) | Document::ClassmapCheck(_) => (Vec::new(), Vec::new()),
        };
        let arms = match document {
            Document::Prove(document) => arms(document),
            _ => Vec::new(),
        };
        Self {
            verb: document.verb(),
            target: document.target().to_owned(),
            urls,
            arms,
            options: options.into_iter().collect(),
        }
    }

    /// Why figures of the two answer different questions; empty if they do not.
    pub(crate) fn differences(&self, after: &Self) -> Vec<String> {
        if self.verb != after.verb {
            return vec![format!("one is a result of `{}`, the other of `{}`", self.verb, after.verb)];
        }
        if self.verb == "profile-diff" {
            return vec!["this is a comparison of profiles: compare the profiles themselves".to_owned()];
        }
        if self.verb == "classmap-check" {
            return vec!["a check of a class map measures nothing that could be compared".to_owned()];
        }
        let mut reasons = Vec::new();
        let shares_a_page = self.urls.iter().any(|url| after.urls.contains(url));
        if self.target != after.target && !shares_a_page {
            reasons.push(format!("the targets differ: `{}` and `{}`", self.target, after.target));
        }
        if !self.arms.is_empty() && !after.arms.is_empty() && !self.arms.iter().any(|arm| after.arms.contains(arm)) {
            let quoted = |arms: &[String]| arms.iter().map(|arm| format!("`{arm}`")).collect::<Vec<_>>().join(", ");
            reasons.push(format!(
                "the experiments have no change in common: {} before, {} after",
                quoted(&self.arms),
                quoted(&after.arms)
            ));
        }
        for (name, before) in &self.options {
            let after = after.options.get(name).map_or("", String::as_str);
            if before != after {
                reasons.push(format!("{name} differs: {before} before, {after} after"));
            }
        }
        reasons
    }
}

/// Arms compared with the baseline; the baseline again is no change.
fn arms(document: &ProveDocument) -> Vec<String> {
    let mut arms: Vec<String> = Vec::new();
    for comparison in &document.comparisons {
        if !arms.contains(&comparison.arm) {
            arms.push(comparison.arm.clone());
        }
    }
    arms
}

/// Hosts and exporters with figures: one that left before there were any has no part in a sum, and its groups have not
/// become free.
fn hosts(document: &WeighDocument) -> String {
    const ENOUGH: u64 = unladen_lockin::MIN_BLOCKS as u64;
    let names: BTreeSet<&str> =
        document.hosts.iter().filter(|host| host.blocks >= ENOUGH).map(|host| host.name.as_str()).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.into_iter().collect::<Vec<_>>().join(", ") }
}

/// Sending hosts: the way from each of them is part of its latencies.
fn agents(agents: &[LoadAgent]) -> String {
    let names: BTreeSet<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    if names.is_empty() { "this machine".to_owned() } else { names.into_iter().collect::<Vec<_>>().join(", ") }
}
