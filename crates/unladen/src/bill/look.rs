//! [`look`]: which waste the dearest kinds carry.

use std::time::Duration;

use unladen_agent::SessionOptions;
use unladen_document::{BillDocument, BilledKind, Finding, Frees, Span};
use unladen_load::{Cancel, DriverConfig};
use unladen_report::Inside;

use crate::bill::{Measured, Options, Plan};
use crate::weigh::{self, Budget};

/// Kinds with at least this part of the CPU are examined, and at most so many.
const LEAST: f64 = 0.05;
const MOST: usize = 3;

/// Examines the most frequent URL of the dearest kinds, within the bound of load; what hinders that is a warning. Returns
/// what was seen of each.
pub(crate) fn look(
    plan: &Plan,
    options: &Options,
    measured: &Measured,
    bill: &mut BillDocument,
    cancel: &Cancel,
) -> Vec<Inside> {
    let (mut requests, mut longest) = (Vec::new(), Duration::ZERO);
    let dear = bill.kinds.iter_mut().filter(|kind| kind.cpu_share.low >= LEAST).take(MOST);
    let mut kinds: Vec<&mut BilledKind> = Vec::new();
    for row in dear {
        let Some(at) = plan.kinds.iter().position(|kind| kind.name == row.kind) else { continue };
        let Some(request) = options.driver.requests.get(plan.kinds[at].first) else { continue };
        requests.push(request.clone());
        longest = longest.max(measured.latencies[at]);
        kinds.push(row);
    }
    if kinds.is_empty() {
        return Vec::new();
    }
    // Requests run half of the time; back to back they keep a core busy then.
    let rate = 2.0 * options.load / longest.as_secs_f64().max(1e-6);
    let weighing = weigh::Options {
        driver: DriverConfig { requests, rate: (options.load < 0.5).then_some(rate), ..options.driver.clone() },
        budget: Budget { time: None, requests: None, until: None },
        phase: None,
        settle: None,
        hosts: Vec::new(),
        session: SessionOptions::default(),
        exporters: Vec::new(),
        group_by: options.group_by,
        seed: options.seed,
        inside: true,
        restart: None,
        quiet: options.quiet,
    };
    let pages = match weigh::weigh(weighing, cancel) {
        Ok(outcome) => outcome.result.pages,
        Err(error) => {
            bill.warnings.push(format!("The dearest kinds were not examined for waste: {error}."));
            return Vec::new();
        }
    };
    let mut seen = Vec::new();
    for (kind, page) in kinds.into_iter().zip(pages) {
        let Some(inside) = page.inside else { continue };
        let mut rules: Vec<String> = Vec::new();
        for finding in &inside.findings {
            if !rules.contains(&finding.rule) {
                rules.push(finding.rule.clone());
            }
            bill.frees.extend(frees(finding, kind));
            bill.findings.push(finding.clone());
        }
        for missing in &inside.not_looked_for {
            let rules = missing.rules.join(", ");
            bill.warnings.push(format!("Not checked on {}: {rules}: {}.", kind.kind, missing.why));
        }
        kind.carries = (!rules.is_empty() || is_whole(&inside)).then_some(rules);
        seen.push(inside);
    }
    bill.frees.sort_by(|a, b| b.cpu_share.value.total_cmp(&a.cpu_share.value));
    seen
}

/// Whether everything was looked at, so that no finding means no waste that a rule knows.
fn is_whole(inside: &Inside) -> bool {
    inside.not_looked_for.is_empty() && !inside.not_judged.iter().any(|part| !part.elsewhere && !part.uncertain)
}

/// The most that a fix frees, if all of the kind's requests carry what the examined URL does: no more CPU than the time
/// that it saves.
fn frees(finding: &Finding, kind: &BilledKind) -> Option<Frees> {
    let saved = finding.saves_at_most_ns.filter(|_| kind.cpu_ns.value > 0.0)?;
    let share = (saved / kind.cpu_ns.value).min(1.0) * kind.cpu_share.high;
    let cpu_share = Span { value: share, low: 0.0, high: share };
    Some(Frees { what: format!("{} on {}", finding.rule, kind.kind), cpu_share, is_bound: true })
}
