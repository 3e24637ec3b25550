//! The principal type is [`BillDocument`], `unladen.bill/1`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unladen_quantity::{Span, grouped, lasting, percent};

use crate::about::About;
use crate::finding::Finding;
use crate::load::LinesPassedOver;
use crate::prove::Gate;

/// Output of `unladen bill --json`: what a site's traffic costs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
#[schemars(title = "Result of unladen bill")]
pub struct BillDocument {
    /// The name of this schema, with its number.
    #[schemars(extend("const" = BillDocument::SCHEMA))]
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    /// The site that requests were sent to.
    pub target: String,
    /// What was read of the site's traffic.
    pub log: BilledLog,
    /// Requests that were sent.
    pub requests: u64,
    /// Of these, requests that failed.
    pub failed: u64,
    /// The time from the first cell to the last, in ns.
    pub elapsed_ns: u64,
    /// How the run ended.
    #[schemars(extend("enum" = ["complete", "interrupted", "failed"]))]
    pub ended: String,
    /// The end of a phase after its last answer, in ns.
    pub settle_ns: u64,
    /// Processors of the machine.
    pub processors: u64,
    /// Bound of the CPU that measuring adds, in cores.
    pub load_bound_cores: f64,
    /// CPU that the requests took, in cores.
    pub load_cores: f64,
    /// CPU of all weighed requests of the log, in ns.
    pub cpu_ns: Option<Span>,
    /// Half the width of the interval that the background alone gives the total, in ns.
    pub noise_floor_ns: f64,
    /// Of the CPU that all processors had in the time of the log, 0 to 1; null where it has no times.
    pub machine_share: Option<Span>,
    /// Groups of processes that follow the requests.
    pub groups: Vec<BilledGroup>,
    /// Groups that noise hides, so that their part is not in the bill; absent without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<BilledGroup>,
    /// Kinds of pages, the dearest first.
    pub kinds: Vec<BilledKind>,
    /// Kinds of clients.
    pub clients: Vec<BilledClient>,
    /// Requests of the log that are not in the bill.
    pub not_weighed: Vec<NotWeighed>,
    /// Whether all kinds at once cost what they do one after the other; null where that was not measured.
    pub together: Option<Together>,
    /// What the rules found on the most frequent URL of the dearest kinds.
    pub findings: Vec<Finding>,
    /// Changes, and what they would free.
    pub frees: Vec<Frees>,
    /// The conditions of --fail-on.
    pub gates: Vec<Gate>,
    /// Limits of the result.
    pub warnings: Vec<String>,
}

impl BillDocument {
    /// Its schema.
    pub const SCHEMA: &str = "unladen.bill/1";

    /// Requests of the log that were weighed.
    pub fn weighed(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.requests).sum()
    }

    /// `2,310,000 requests of 7 days took 41.8 ± 1.1 h of CPU: 12.4 ± 0.3 % of 2 processors`
    pub fn headline(&self) -> String {
        let span = self.log.seconds.map(|seconds| match seconds / 86_400 {
            days if days >= 2 => format!(" of {} days", grouped((seconds as f64 / 86_400.0).round(), 0)),
            _ => format!(" of {}", lasting(Duration::from_secs(seconds))),
        });
        // What is hidden may be as much as half of what is known.
        let is_least = self.hidden.iter().any(|group| group.share.high > 0.5);
        let least = if is_least { "at least " } else { "" };
        let took = self.cpu_ns.map_or("an unknown time".to_owned(), bill_time);
        let share =
            self.machine_share.map(|share| format!(": {} of {} processors", share_text(share), self.processors));
        let requests = grouped(self.weighed() as f64, 0);
        format!(
            "{requests} requests{} took {least}{took} of CPU{}",
            span.unwrap_or_default(),
            share.unwrap_or_default()
        )
    }

    /// What PHP-FPM's own log counts for the kinds, where it has their CPU.
    pub fn logged_text(&self) -> Option<String> {
        let logged: Vec<f64> =
            self.kinds.iter().filter_map(|kind| Some(kind.logged_cpu_ns? * kind.requests as f64)).collect();
        let sum = lasting(Duration::from_secs_f64(logged.iter().sum::<f64>().clamp(0.0, 1e18) / 1e9));
        (!logged.is_empty())
            .then(|| format!("PHP-FPM's own log counts {sum} for them, of PHP alone and in ticks of 10 ms a request"))
    }

    /// What keeps the kinds from adding up, if anything does for certain.
    pub fn contention_text(&self) -> Option<String> {
        let together = self.together.as_ref().filter(|together| together.verdict == Together::DOES_NOT_ADD_UP)?;
        Some(format!(
            "The kinds do not add up: with {} requests of all kinds at once, one costs {} of what it does one after the \
             other. The machine is full, or requests wait for each other.",
            together.concurrency,
            together.ratio.change_text()
        ))
    }
}

/// In hours, minutes or seconds: `41.8 ± 1.1 h`.
pub(crate) fn bill_time(ns: Span) -> String {
    let (unit, length) = match ns.value / 1e9 {
        hours if hours >= 7_200.0 => ("h", 3_600e9),
        minutes if minutes >= 120.0 => ("min", 60e9),
        _ => ("s", 1e9),
    };
    let (value, margin) = (ns.value / length, ns.margin() / length);
    let decimals = decimals(margin);
    format!("{} ± {} {unit}", grouped(value, decimals), grouped(margin, decimals))
}

/// As many that a margin that is not 0 is not written as 0, up to five.
fn decimals(margin: f64) -> usize {
    let bounds = [9.95, 0.05, 0.005, 0.000_5, 0.000_05];
    bounds.iter().filter(|bound| margin < **bound).count().min(if margin > 0.0 { bounds.len() } else { 1 })
}

/// A share with its interval, in percent: `12.4 ± 0.3 %`.
pub fn share_text(share: Span) -> String {
    let (value, margin) = (share.value * 100.0, share.margin() * 100.0);
    let decimals = decimals(margin);
    format!("{} ± {} %", grouped(value, decimals), grouped(margin, decimals))
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct BilledLog {
    /// Files, in their order.
    pub files: Vec<String>,
    /// Lines read.
    pub lines: u64,
    /// Lines that are requests.
    pub entries: u64,
    /// Lines that are none, by reason.
    pub passed_over: Vec<LinesPassedOver>,
    /// The first request: RFC 3339, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The last request: RFC 3339, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Time between these, in s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Networks (/24 and /48) that requests came from; at least, where there were very many.
    pub networks: u64,
}

/// A group's part of the CPU.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct BilledGroup {
    /// Its name.
    pub group: String,
    /// Its part of the CPU of all weighed requests, 0 to 1.
    pub share: Span,
}

/// Requests that cost alike.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct BilledKind {
    /// A pattern of targets, or a name.
    pub kind: String,
    /// Requests of the log.
    pub requests: u64,
    /// As a part of all requests of the log, 0 to 1.
    pub request_share: f64,
    /// CPU of one request, in ns.
    pub cpu_ns: Span,
    /// Half the width of the interval that the background alone gives it, in ns.
    pub noise_floor_ns: f64,
    /// Part of the CPU of all weighed requests, 0 to 1.
    pub cpu_share: Span,
    /// Stretches of time in which it was sent.
    pub cells: u64,
    /// Requests sent.
    pub sent: u64,
    /// Of these, requests that failed.
    pub failed: u64,
    /// Some of its URLs, the most frequent first.
    pub urls: Vec<String>,
    /// CPU of one request by PHP-FPM's own log, in ns: PHP alone, in ticks of 10 ms; absent where the log has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logged_cpu_ns: Option<f64>,
    /// Part of its requests that a cache answered, 0 to 1; absent where the log does not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_share: Option<f64>,
    /// Rules that found something on its most frequent URL; absent where nobody looked, or nothing was found and not
    /// all was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carries: Option<Vec<String>>,
}

/// Clients that have something in common.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct BilledClient {
    /// Name of a crawler, prefix of a network, or what they are.
    pub client: String,
    /// What it is.
    #[schemars(extend("enum" = ["crawlers", "crawler", "network", "signed in", "everybody else"]))]
    pub sort: String,
    /// Requests of the log.
    pub requests: u64,
    /// As a part of all requests of the log, 0 to 1.
    pub request_share: f64,
    /// Part of the CPU of all weighed requests, had each cost what its kind does, 0 to 1.
    pub cpu_share: Span,
}

/// Requests of the log whose cost is not in the bill.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct NotWeighed {
    /// A kind, or several.
    pub what: String,
    /// The reason.
    pub why: String,
    /// Requests of the log.
    pub requests: u64,
}

/// Whether all kinds at once cost what they do one after the other.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Together {
    /// CPU of a request of the mix of all kinds, over the mean of the kinds.
    pub ratio: Span,
    /// Requests under way at once.
    pub concurrency: u64,
    /// Whether the kinds add up, within 10 %.
    #[schemars(extend("enum" = ["adds up", "does not add up", "unclear"]))]
    pub verdict: String,
}

impl Together {
    /// The ratio is within 10 % of 1, for certain.
    pub const ADDS_UP: &str = "adds up";
    /// It is beyond that, for certain.
    pub const DOES_NOT_ADD_UP: &str = "does not add up";
    /// Neither.
    pub const UNCLEAR: &str = "unclear";
}

/// A change, and what it would free.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Frees {
    /// In words.
    pub what: String,
    /// What it frees of the CPU of all weighed requests, 0 to 1.
    pub cpu_share: Span,
    /// Whether that is the most it can free, not measured.
    pub is_bound: bool,
}

impl Frees {
    /// `no /diff for crawlers: 41.0 ± 2.1 %`, `stat-storm on /wiki/{title}: at most 3 %`
    pub fn text(&self) -> String {
        match self.is_bound {
            true => format!("{}: at most {} %", self.what, percent(self.cpu_share.value)),
            false => format!("{}: {}", self.what, share_text(self.cpu_share)),
        }
    }
}

#[cfg(test)]
mod tests;
