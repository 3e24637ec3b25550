//! The principal type is [`Inside`]: what each request of a page repeats, as far as it was visible.

use unladen_document::{Gate, NextStep};
use unladen_finding::{Finding, Unjudged};
use unladen_trace::Interval;

/// What was seen inside the requests of one page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inside {
    pub url: String,
    pub requests: u64,
    /// Mean latency without tracing, in ns.
    pub latency: Option<Interval>,
    pub totals: Vec<TotalRow>,
    /// Statements with the most database time, most expensive first; empty if that time is not noticeable.
    pub statements: Vec<StatementRow>,
    /// Set if most of the CPU is in no finding.
    pub next_step: Option<NextStep>,
    /// Most expensive first.
    pub findings: Vec<Finding>,
    pub fresh: Option<Fresh>,
    pub not_looked: Vec<NotLooked>,
    /// Parts of the request's path that were not judged. If there are any, no findings does not prove no waste.
    pub unjudged: Vec<Unjudged>,
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
    pub latency: Option<Interval>,
    pub totals: Vec<TotalRow>,
    pub findings: Vec<Finding>,
}

/// One counter of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct TotalRow {
    pub group: String,
    pub counter: String,
    /// Name in tables; `None` if the counter is for programs only.
    pub title: Option<&'static str>,
    pub per_request: Interval,
    pub noise_floor: f64,
}

/// A statement that takes a noticeable part of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementRow {
    pub group: String,
    /// Peer of the connection, or the library.
    pub database: String,
    pub statement: String,
    /// Executions per request.
    pub calls: Interval,
    /// Time a request waits for the answers, in ns.
    pub time: Interval,
}

/// Rules that could not look, for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotLooked {
    pub rules: Vec<&'static str>,
    pub why: String,
    /// What would enable them; empty if nothing would.
    pub takes: String,
}

impl TotalRow {
    /// Whether events count it, so that lost events are missing. Everything else is counted in the kernel.
    pub fn is_of_events(&self) -> bool {
        let in_kernel = ["syscalls", "php.class_lookups", "cpu_traced_ns"];
        !in_kernel.contains(&self.counter.as_str()) && !self.counter.starts_with("syscall.")
    }
}

impl Inside {
    /// Whether every rule looked at the whole path. Only then do no findings mean no waste.
    pub fn is_whole(&self) -> bool {
        self.unjudged.is_empty() && self.not_looked.is_empty() && self.lost == 0
    }

    /// All findings, including those of fresh processes.
    pub fn all_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().chain(self.fresh.iter().flat_map(|fresh| &fresh.findings))
    }
}
