//! The principal type is [`Inside`]: what each request of a page repeats, as far as it was visible.

use unladen_document::{
    About, Count, Finding, Gate, NextStep, NotJudged, NotLookedFor, Span, Statement, Traced, WeighDocument,
};

/// State of findings and counts in requests of processes that had answered before.
pub const WARM: &str = "warm";
/// Those of first requests of fresh processes.
pub const FRESH: &str = "fresh";

/// What was seen inside the requests of one page. Findings and counts of either state are together, those of warm
/// processes first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inside {
    pub url: String,
    pub requests: u64,
    pub counts: Vec<Count>,
    /// Statements with the most database time, most expensive first; empty if that time is not noticeable.
    pub statements: Vec<Statement>,
    /// Set if most of the CPU is in no finding.
    pub next_step: Option<NextStep>,
    /// Most expensive first.
    pub findings: Vec<Finding>,
    pub fresh: Option<Fresh>,
    pub not_looked_for: Vec<NotLookedFor>,
    /// Parts of the request's path that were not judged. If there are any, no findings does not prove no waste.
    pub not_judged: Vec<NotJudged>,
    /// Lost events, which make counts too low.
    pub lost: u64,
    pub gates: Vec<Gate>,
}

/// First requests of fresh processes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fresh {
    /// The command that restarted them.
    pub restart: String,
    pub requests: u64,
    /// Mean latency without tracing, in ns.
    pub latency: Option<Span>,
}

impl Inside {
    /// Whether events make this count, so that lost events are missing. Everything else is counted in the kernel.
    pub fn is_of_events(counter: &str) -> bool {
        let in_kernel = ["syscalls", "php.class_lookups", "cpu_traced_ns"];
        !in_kernel.contains(&counter) && !counter.starts_with("syscall.")
    }

    /// Whether every rule looked at the whole path. Only then do no findings mean no waste.
    pub fn is_whole(&self) -> bool {
        self.not_judged.is_empty() && self.not_looked_for.is_empty() && self.lost == 0
    }

    /// The document of what the rules find in an earlier run's evidence.
    pub fn document(pages: &[Self], about: &About) -> WeighDocument {
        let mut document = WeighDocument {
            schema: WeighDocument::SCHEMA.to_owned(),
            about: about.clone(),
            target: pages.iter().map(|page| page.url.as_str()).collect::<Vec<_>>().join(" "),
            requests: pages.iter().map(|page| page.requests).sum(),
            ..WeighDocument::default()
        };
        pages.iter().for_each(|page| page.add_to(&mut document));
        document
    }

    pub(crate) fn add_to(&self, document: &mut WeighDocument) {
        let traced = |state: &str, requests, latency_ns| Traced {
            url: self.url.clone(),
            state: state.to_owned(),
            requests,
            latency_ns,
        };
        document.findings.extend(self.findings.iter().cloned());
        document.counts.extend(self.counts.iter().cloned());
        document.statements.extend(self.statements.iter().cloned());
        document.next_steps.extend(self.next_step.clone());
        document.not_looked_for.extend(self.not_looked_for.iter().cloned());
        document.not_judged.extend(self.not_judged.iter().cloned());
        document.lost_events += self.lost;
        document.traced.push(traced(WARM, self.requests, None));
        document.traced.extend(self.fresh.as_ref().map(|fresh| traced(FRESH, fresh.requests, fresh.latency)));
        document.gates.extend(self.gates.iter().cloned());
    }

    /// The pages of a kept document without weights.
    pub(crate) fn kept_pages(document: &WeighDocument) -> Vec<Self> {
        document.target.split(' ').filter_map(|url| Self::kept(document, url)).collect()
    }

    /// A page of a kept document; `None` if nobody looked.
    pub(crate) fn kept(document: &WeighDocument, url: &str) -> Option<Self> {
        let traced = |state: &str| document.traced.iter().find(|traced| traced.url == url && traced.state == state);
        // Documents of version 0.1 have no states.
        let known = |state: &str| if state.is_empty() { WARM.to_owned() } else { state.to_owned() };
        let findings = document.findings.iter().filter(|found| found.url == url);
        let counts = document.counts.iter().filter(|count| count.url == url);
        let inside = Self {
            url: url.to_owned(),
            requests: traced(WARM).map_or(0, |traced| traced.requests),
            counts: counts.map(|count| Count { state: known(&count.state), ..count.clone() }).collect(),
            statements: document.statements.iter().filter(|row| row.url == url).cloned().collect(),
            next_step: document.next_steps.iter().find(|step| step.url == url).cloned(),
            findings: findings.map(|found| Finding { state: known(&found.state), ..found.clone() }).collect(),
            fresh: None,
            not_looked_for: document.not_looked_for.iter().filter(|part| part.url == url).cloned().collect(),
            not_judged: document.not_judged.iter().filter(|part| part.url == url).cloned().collect(),
            // Shown once for all pages.
            lost: if document.urls.first().is_none_or(|first| first.url == url) { document.lost_events } else { 0 },
            gates: document.gates.iter().filter(|gate| gate.is_of_rule() && gate.url == url).cloned().collect(),
        };
        let fresh = traced(FRESH);
        let mut states =
            inside.findings.iter().map(|found| &found.state).chain(inside.counts.iter().map(|of| &of.state));
        let has_fresh = fresh.is_some() || states.any(|state| state == FRESH);
        let is_empty = inside.findings.is_empty()
            && inside.counts.is_empty()
            && inside.gates.is_empty()
            && inside.not_judged.is_empty()
            && inside.not_looked_for.is_empty();
        if is_empty && !has_fresh && traced(WARM).is_none() {
            return None;
        }
        let fresh = has_fresh.then(|| Fresh {
            // The command itself is not stored: it may contain a secret.
            restart: "--restart …".to_owned(),
            requests: fresh.map_or(0, |traced| traced.requests),
            latency: fresh.and_then(|traced| traced.latency_ns),
        });
        Some(Self { fresh, ..inside })
    }
}
