//! What tells metrics and findings of runs apart. The principal type is [`Key`].

use unladen_document::{Document, Finding};

use crate::row::{Kind, Verdict};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub(crate) url: String,
    pub(crate) arm: Option<String>,
    pub(crate) kind: Kind,
    pub(crate) metric: String,
    pub(crate) group: Option<String>,
    pub(crate) counter: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) unit: String,
}

/// How the machine's own speed affects a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Time on a processor, in proportion to the machine's slowness.
    Cpu,
    /// Elapsed time, partly on a processor, partly waiting.
    Elapsed,
    None,
}

impl Key {
    pub(crate) fn new(kind: Kind, url: &str, metric: impl Into<String>, unit: &str) -> Self {
        Self {
            url: url.to_owned(),
            arm: None,
            kind,
            metric: metric.into(),
            group: None,
            counter: None,
            state: None,
            unit: unit.to_owned(),
        }
    }

    pub(crate) fn of_finding(finding: &Finding, unit: &str) -> Self {
        let kind = if unit == "ns" { Kind::Latency } else { Kind::Count };
        Self {
            group: Some(finding.group.clone()),
            state: Some(finding.state.clone()),
            ..Self::new(kind, &finding.url, format!("finding.{} {}", finding.rule, finding.group), unit)
        }
    }

    pub(crate) fn clock(&self) -> Clock {
        match self.kind {
            Kind::Weight if self.is_cpu() => Clock::Cpu,
            Kind::Weight if self.unit == "ns" => Clock::Elapsed,
            Kind::Latency | Kind::Within | Kind::Rate => Clock::Elapsed,
            _ => Clock::None,
        }
    }

    /// `cpu`, `cpu_user`, `cpu_system`; pressure is elapsed time.
    pub(crate) fn is_cpu(&self) -> bool {
        self.unit == "ns" && self.counter.as_deref().is_some_and(|counter| counter.starts_with("cpu"))
    }

    /// Faults and switches: unlike calls and bytes, they depend partly on what runs beside the requests.
    pub(crate) fn is_of_the_scheduler(&self) -> bool {
        self.counter.as_deref().is_some_and(|counter| counter.ends_with("_faults") || counter.ends_with("_switches"))
    }

    /// Forced switches: their number depends on what else wants the processors.
    pub(crate) fn is_of_neighbours(&self) -> bool {
        self.counter.as_deref() == Some("involuntary_switches")
    }

    /// Whether it is a finding's first figure, which has no row of its own.
    pub(crate) fn is_finding(&self) -> bool {
        self.metric.starts_with("finding.")
    }

    /// Whether few requests determine the quantile.
    pub(crate) fn is_tail(&self) -> bool {
        ["p90", "p95", "p99", "p999"].iter().any(|tail| self.metric.ends_with(tail))
    }

    /// Shares of requests are compared by their difference: from 0.05 % to 0.1 % of errors is no doubling.
    pub(crate) fn is_share(&self) -> bool {
        matches!(self.kind, Kind::Within | Kind::Errors)
    }

    /// Verdicts for more and for less.
    pub(crate) fn words(&self) -> (Verdict, Verdict) {
        let kind = if self.kind == Kind::Effect { self.affected() } else { self.kind };
        match kind {
            Kind::Latency => (Verdict::Slower, Verdict::Faster),
            Kind::Within | Kind::Rate => (Verdict::Faster, Verdict::Slower),
            _ => (Verdict::Heavier, Verdict::Lighter),
        }
    }

    /// What an effect applies to.
    fn affected(&self) -> Kind {
        let metric = self.metric.strip_prefix("effect.").unwrap_or(&self.metric);
        kind_of(metric)
    }
}

/// Kind of an experiment's metric, by its name.
pub(crate) fn kind_of(metric: &str) -> Kind {
    let metric = metric.strip_prefix("cold.").unwrap_or(metric);
    match metric.split_once(['.', ' ']).map_or(metric, |(kind, _)| kind) {
        "latency" => Kind::Latency,
        "within" => Kind::Within,
        "throughput" => Kind::Rate,
        "statuses" => Kind::Errors,
        "bytes" => Kind::Size,
        _ => Kind::Weight,
    }
}

/// Page, rule, group and state.
pub(crate) type FindingKey = (String, String, String, String);

/// Maximum findings of one document; rules and groups are some dozens each.
const MOST_FINDINGS: usize = 1000;

pub(crate) fn findings(document: &Document) -> &[Finding] {
    let all: &[Finding] = match document {
        Document::Weigh(document) => &document.findings,
        Document::Profile(document) => &document.findings,
        _ => &[],
    };
    all.get(..MOST_FINDINGS).unwrap_or(all)
}

pub(crate) fn finding_key(finding: &Finding) -> FindingKey {
    (finding.url.clone(), finding.rule.clone(), finding.group.clone(), finding.state.clone())
}
