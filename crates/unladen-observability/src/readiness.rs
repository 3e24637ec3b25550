//! The principal type is [`Readiness`]: whether this process should get clients, and why not.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::Observability;
use crate::settings::ReadyCheck;
use crate::sites::SiteView;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Readiness {
    findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    name: &'static str,
    is_ok: bool,
    is_required: bool,
    text: String,
}

/// Maximum of listed failures; the rest is given as a number.
const SHOWN: usize = 8;

impl Readiness {
    /// Readiness from local knowledge only.
    pub(crate) fn of(observability: &Observability) -> Self {
        let required = observability.ready.load();
        let sites = observability.sites(None);
        let mut findings = vec![stopping(observability), threads(observability)];
        let checks = [
            (ReadyCheck::Certificates, certificates(&sites)),
            (ReadyCheck::Upstreams, upstreams(observability, &sites)),
            (ReadyCheck::Fleet, fleet(observability)),
        ];
        for (check, found) in checks {
            let Some((is_ok, text)) = found else { continue };
            let (name, is_required) = (check.into_str(), required.contains(&check));
            findings.push(Finding { name, is_ok, is_required, text });
        }
        Self { findings }
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.findings.iter().all(|finding| finding.is_ok || !finding.is_required)
    }

    pub(crate) fn text(&self) -> String {
        let mut text = if self.is_ready() { "ready\n" } else { "not ready\n" }.to_owned();
        for Finding { name, is_ok, is_required, text: found } in &self.findings {
            let mark = match (is_ok, is_required) {
                (true, _) => "ok     ",
                (false, true) => "FAILED ",
                (false, false) => "ignored",
            };
            text.push_str(&format!("{mark} {name}: {found}\n"));
        }
        text
    }

    /// As JSON: `unladen.serve-ready/1`.
    pub(crate) fn document(&self) -> Value {
        let check = |Finding { name, is_ok, is_required, text }: &Finding| json!({ "check": name, "ok": is_ok, "required": is_required, "found": text });
        json!({
            "schema": "unladen.serve-ready/1",
            "ready": self.is_ready(),
            "checks": self.findings.iter().map(check).collect::<Vec<_>>(),
        })
    }
}

fn stopping(observability: &Observability) -> Finding {
    let is_stopping = observability.draining.load(Ordering::Relaxed);
    let text = if is_stopping { "it was asked to stop, and is draining" } else { "no" };
    Finding { name: "stopping", is_ok: !is_stopping, is_required: true, text: text.to_owned() }
}

/// Threads begin once the configuration is read and all listeners are open.
fn threads(observability: &Observability) -> Finding {
    let (begun, expected) = observability.pulses.count();
    let is_ok = expected > 0 && begun >= expected;
    let text = match expected {
        0 => "none serves requests yet".to_owned(),
        _ => format!("{begun} of {expected} serve requests"),
    };
    Finding { name: "threads", is_ok, is_required: true, text }
}

/// `None` if no site has certificates.
fn certificates(sites: &[std::sync::Arc<dyn SiteView>]) -> Option<(bool, String)> {
    let all = sites.iter().flat_map(|site| site.certificates());
    let (mut count, mut lacking) = (0, Vec::new());
    for certificate in all {
        count += 1;
        if certificate.not_after.is_none() {
            let error = certificate.orders.and_then(|orders| orders.error);
            lacking.push(match error {
                Some(error) => format!("{} has none: {error}", certificate.name),
                None => format!("{} has none yet", certificate.name),
            });
        }
    }
    (count > 0).then(|| told(count, "there", lacking))
}

/// `None` if no site has an application.
fn upstreams(observability: &Observability, sites: &[std::sync::Arc<dyn SiteView>]) -> Option<(bool, String)> {
    let (mut count, mut lacking) = (0, Vec::new());
    for site in sites {
        let Some(usable) = observability.configured.usable(site.name()) else { continue };
        count += 1;
        if usable.usable == 0 {
            lacking.push(match usable.all {
                0 => format!("{}: no endpoint is known", site.name()),
                1 => format!("{}: its endpoint cannot be used", site.name()),
                all => format!("{}: none of {all} endpoints can be used", site.name()),
            });
        }
    }
    (count > 0).then(|| told(count, "have an endpoint", lacking))
}

fn fleet(observability: &Observability) -> Option<(bool, String)> {
    let state = observability.fleet()?.state();
    let text = match (state.is_connected, state.error) {
        (true, _) => "all purges have been applied here".to_owned(),
        (false, Some(error)) => format!("cut off from {}: {error}", state.bus),
        (false, None) => format!("has not read everything from {} yet", state.bus),
    };
    Some((state.is_connected, text))
}

fn told(count: usize, what: &str, mut lacking: Vec<String>) -> (bool, String) {
    if lacking.is_empty() {
        return (true, format!("{count} of {count} {what}"));
    }
    let more = lacking.len().saturating_sub(SHOWN);
    lacking.truncate(SHOWN);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    (false, format!("{}{more}", lacking.join("; ")))
}

#[cfg(test)]
mod tests;
