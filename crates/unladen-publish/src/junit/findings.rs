//! Rules that looked: [`weigh`] and [`profile`].

use std::collections::BTreeSet;

use unladen_document::{Finding, Gate, ProfileDocument, WeighDocument};
use unladen_finding::{RULES, Rule};
use unladen_trace::EvidenceSource;

use super::suite::{Outcome, Suite};
use crate::result::weigh::has_looked;

/// Minimum requests for rules to read a profile; `unladen_profile::MIN_REQUESTS`.
const FEWEST_REQUESTS: u64 = 6;

/// The rule about the number of calls of a function.
const COUNTS_CALLS: &str = "hot-call";

/// A case for each rule and page.
pub(super) fn weigh(document: &WeighDocument, suite: &mut Suite) {
    if !has_looked(document) {
        return;
    }
    for url in pages(document) {
        for rule in names(false) {
            let found = of(&document.findings, url, rule);
            let missing = document
                .not_looked_for
                .iter()
                .find(|missing| missing.url == url && missing.rules.iter().any(|name| name == rule));
            let unjudged = document
                .not_judged
                .iter()
                .find(|part| part.url == url && !part.elsewhere && part.rules.iter().any(|name| name == rule));
            let why = match (missing, unjudged) {
                (Some(missing), _) => Some(with_what(&missing.why, &missing.takes)),
                (None, Some(part)) => {
                    Some(format!("{} was not judged: {}", part.what, with_what(&part.why, &part.takes)))
                }
                (None, None) => None,
            };
            case("weigh", url, rule, &found, why, &document.gates, suite);
        }
    }
}

/// The same for rules that read profiles.
pub(super) fn profile(document: &ProfileDocument, suite: &mut Suite) {
    // No rule looks at a file that was only converted.
    if document.setup.is_none() && document.findings.is_empty() {
        return;
    }
    let is_code = |kind: &str| matches!(kind, "function" | "include" | "class-lookup");
    let blind = if document.weight == 0 {
        Some("no sample was taken".to_owned())
    } else if let Some(few) = document.requests.filter(|requests| *requests < FEWEST_REQUESTS) {
        Some(format!("{few} requests were profiled, but rules need {FEWEST_REQUESTS}"))
    } else if !document.functions.iter().any(|function| is_code(&function.kind)) {
        Some("only machine code was seen, no function of the application".to_owned())
    } else {
        None
    };
    let counts_calls = document.functions.iter().any(|function| function.calls.is_some());
    for rule in names(true) {
        let uncounted = rule == COUNTS_CALLS && !counts_calls;
        let why = blind.clone().or_else(|| uncounted.then(|| format!("{} does not count calls", document.profiler)));
        let found = of(&document.findings, &document.target, rule);
        case("profile", &document.target, rule, &found, why, &document.gates, suite);
    }
}

fn case(
    verb: &str,
    url: &str,
    rule: &str,
    found: &[&Finding],
    why_not: Option<String>,
    gates: &[Gate],
    suite: &mut Suite,
) {
    let title = format!("{rule} on {url}");
    let summary = found.iter().map(|finding| finding.summary.as_str()).collect::<Vec<_>>().join("; ");
    let text = || found.iter().map(|finding| text(finding)).collect::<Vec<_>>().join("\n\n");
    let outcome = match (found.is_empty(), why_not) {
        (false, _) if is_failure(rule, url, gates) => {
            Outcome::Failed { kind: rule.to_owned(), message: summary, text: text() }
        }
        (false, _) => Outcome::Passed(format!("found, but not a condition of --fail-on:\n{}", text())),
        (true, Some(why)) if !gates.is_empty() && is_failure(rule, url, gates) => {
            Outcome::Failed { kind: rule.to_owned(), message: format!("could not be checked: {why}"), text: why }
        }
        (true, Some(why)) => Outcome::Skipped(why),
        (true, None) => Outcome::Passed("checked; found nothing".to_owned()),
    };
    suite.case(verb, &title, outcome);
}

/// If `--fail-on` names rules, the report agrees with the exit code; otherwise every finding fails.
fn is_failure(rule: &str, url: &str, gates: &[Gate]) -> bool {
    let is_of = |gate: &&Gate| gate.url.is_empty() || gate.url == url;
    gates.is_empty() || gates.iter().filter(is_of).any(|gate| gate.condition == rule || gate.condition == "any")
}

fn text(finding: &Finding) -> String {
    let mut lines = vec![finding.summary.clone()];
    if !finding.group.is_empty() {
        lines.push(format!("by {}", finding.group));
    }
    lines.extend(finding.evidence.items.iter().take(20).map(|item| format!("  {} ({})", item.name, item.per_request)));
    lines.push(format!("fix: {}", finding.fix.advice));
    let own = finding.fix.file.iter().map(|file| (file, &finding.fix.lines));
    for (file, put) in own.chain(finding.fix.also.iter().map(|part| (&part.file, &part.lines))) {
        lines.push(format!("into {file}:"));
        lines.extend(put.iter().map(|line| format!("  {line}")));
    }
    if let Some(host) = finding.host.as_ref().filter(|_| !finding.fix.commands.is_empty()) {
        lines.push(format!("run on {host}:"));
    }
    lines.extend(finding.fix.commands.iter().map(|command| format!("$ {command}")));
    if !finding.check_again.is_empty() {
        lines.push(format!("check again: {}", finding.check_again));
    }
    lines.join("\n")
}

fn of<'a>(findings: &'a [Finding], url: &str, rule: &str) -> Vec<&'a Finding> {
    findings.iter().filter(|finding| finding.url == url && finding.rule == rule).collect()
}

fn pages(document: &WeighDocument) -> BTreeSet<&str> {
    let of_urls = document.urls.iter().map(|url| url.url.as_str());
    let seen = document.counts.iter().map(|count| count.url.as_str());
    let found = document.findings.iter().map(|finding| finding.url.as_str());
    let missing = document.not_looked_for.iter().map(|missing| missing.url.as_str());
    of_urls.chain(seen).chain(found).chain(missing).collect()
}

fn names(of_profiles: bool) -> impl Iterator<Item = &'static str> {
    let is_one = move |rule: &&&Rule| rule.needs().contains(&EvidenceSource::Profile) == of_profiles;
    RULES.iter().filter(is_one).map(|rule| rule.name())
}

fn with_what(why: &str, takes: &str) -> String {
    if takes.is_empty() { why.to_owned() } else { format!("{why}; it needs {takes}") }
}
