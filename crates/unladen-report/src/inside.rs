//! The principal type is [`Inside`]: what each request of a page repeats, as far as it was seen.

use unladen_document::{Gate, NextStep};
use unladen_finding::{Finding, Unjudged};
use unladen_trace::Interval;

/// What was seen inside the requests of one page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inside {
    /// The page's URL.
    pub url: String,
    /// Requests that were traced.
    pub requests: u64,
    /// Mean latency, undisturbed, ns.
    pub latency: Option<Interval>,
    /// What the traced requests did, by group.
    pub totals: Vec<TotalRow>,
    /// The statements that take most of the database's time, the dearest first, where that is a noticeable part.
    pub statements: Vec<StatementRow>,
    /// What to do where most of the CPU is in no finding.
    pub next_step: Option<NextStep>,
    /// What was found, the dearest first.
    pub findings: Vec<Finding>,
    /// What was found in the first requests of fresh processes.
    pub fresh: Option<Fresh>,
    /// What could not be looked for.
    pub not_looked: Vec<NotLooked>,
    /// What was on the request's path and not judged: where there is any of it, that nothing was found is no proof.
    pub unjudged: Vec<Unjudged>,
    /// Events that were lost: counts are then too low.
    pub lost: u64,
    /// Rules of `--fail-on`.
    pub gates: Vec<Gate>,
}

/// First requests of fresh processes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fresh {
    /// The command that made them fresh.
    pub restart: String,
    /// Such requests.
    pub requests: u64,
    /// Their mean latency, undisturbed, ns.
    pub latency: Option<Interval>,
    pub totals: Vec<TotalRow>,
    /// What was found in them alone.
    pub findings: Vec<Finding>,
}

/// One counter of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct TotalRow {
    /// The group's name.
    pub group: String,
    /// The counter's stable name.
    pub counter: String,
    /// What a table calls it; none for what is for programs only.
    pub title: Option<&'static str>,
    pub per_request: Interval,
    /// The noise floor, in the same unit.
    pub noise_floor: f64,
}

/// A statement that takes a noticeable part of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementRow {
    /// Who asks.
    pub group: String,
    /// The peer of the connection, or the library.
    pub database: String,
    /// Its text with each literal as `?`.
    pub statement: String,
    /// How often a request asks it.
    pub calls: Interval,
    /// How long a request waits for its answers, ns.
    pub time: Interval,
}

/// Rules that could not look, for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotLooked {
    /// Their names.
    pub rules: Vec<&'static str>,
    pub why: String,
    /// What it takes; empty where nothing helps.
    pub takes: String,
}

impl TotalRow {
    /// Whether it is counted event by event, so that lost events are missing in it. All else is counted in the kernel.
    pub fn is_of_events(&self) -> bool {
        let in_kernel = ["syscalls", "php.class_lookups", "cpu_traced_ns"];
        !in_kernel.contains(&self.counter.as_str()) && !self.counter.starts_with("syscall.")
    }
}

impl Inside {
    /// Whether all that the rules know was looked for on the whole path: then, and only then, nothing found is nothing
    /// there.
    pub fn is_whole(&self) -> bool {
        self.unjudged.is_empty() && self.not_looked.is_empty() && self.lost == 0
    }

    /// All findings, those of fresh processes too.
    pub fn all_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().chain(self.fresh.iter().flat_map(|fresh| &fresh.findings))
    }
}
