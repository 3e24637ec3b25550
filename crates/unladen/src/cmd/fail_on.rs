//! The principal type is [`FailOn`]: findings that a script does not accept.

use unladen_document::{Finding, Gate, NotJudged};
use unladen_profile::{FrameKind, MIN_REQUESTS, Profile};
use unladen_report::{Inside, Profiled};
use unladen_trace::EvidenceSource;

use crate::cmd::rules;
use crate::exit::Failure;

const ANY: &str = "any";

const COUNTS_CALLS: &str = "hot-call";

#[derive(Debug, Default)]
pub(super) struct FailOn {
    any: bool,
    rules: Vec<&'static str>,
}

impl FailOn {
    /// For `unladen weigh`, or for profiles. Fails if a rule does not exist, or is of the other.
    pub(super) fn of(names: &[String], profiles: bool) -> Result<Self, Failure> {
        let mut gate = Self::default();
        for name in names {
            if name == ANY {
                gate.any = true;
                continue;
            }
            let rule = rules::named(name)?;
            // A gate that never sees its evidence would always be open.
            if rule.needs().contains(&EvidenceSource::Profile) != profiles {
                let command = if profiles { "weigh" } else { "profile" };
                return Err(Failure::Usage(format!("the rule {name} belongs to `unladen {command}`")));
            }
            gate.rules.push(rule.name());
        }
        Ok(gate)
    }

    /// One gate per named rule: broken if the rule found something or could not look.
    pub(super) fn gates(&self, page: &Inside) -> Vec<Gate> {
        self.each().map(|(name, one)| gate(name, &page.url, one.failures(page))).collect()
    }

    /// Like [`Self::gates`], of several pages; `why` none was looked at, if there is none.
    pub(super) fn gates_of(&self, pages: &[Inside], why: &str) -> Vec<Gate> {
        match pages {
            [] => self.each().map(|(name, _)| gate(name, "", vec![format!("could not be checked: {why}")])).collect(),
            pages => pages.iter().flat_map(|page| self.gates(page)).collect(),
        }
    }

    /// Like [`Self::gates`], for a profile.
    pub(super) fn gates_of_profile(&self, url: &str, result: &Profiled) -> Vec<Gate> {
        self.each().map(|(name, one)| gate(name, url, one.failures_of_profile(result))).collect()
    }

    /// Fails if a rule found something or could not look: what was not looked at is not clean. `any` stands for the
    /// rules that such a profile has evidence for.
    pub(super) fn judge_profile(&self, url: &str, result: &Profiled) -> Result<(), Failure> {
        verdict(self.failures_of_profile(result).into_iter().map(|failure| format!("{url}: {failure}")).collect())
    }

    /// Fails if a rule found something or could not look: what was not looked at is not clean.
    /// `others`: what else failed.
    pub(super) fn judge<'a>(
        &self,
        others: Vec<String>,
        pages: impl IntoIterator<Item = &'a Inside>,
    ) -> Result<(), Failure> {
        let of_page =
            |page: &'a Inside| self.failures(page).into_iter().map(|failure| format!("{}: {failure}", page.url));
        verdict(others.into_iter().chain(pages.into_iter().flat_map(of_page)).collect())
    }

    fn each(&self) -> impl Iterator<Item = (&'static str, Self)> {
        let any = self.any.then(|| (ANY, Self { any: true, rules: Vec::new() }));
        any.into_iter().chain(self.rules.iter().map(|rule| (*rule, Self { any: false, rules: vec![*rule] })))
    }

    fn is_of(&self, rule: &str) -> bool {
        self.any || self.rules.contains(&rule)
    }

    fn found(&self, findings: &[Finding]) -> Vec<String> {
        let found = findings.iter().filter(|finding| self.is_of(&finding.rule));
        found.map(|finding| format!("{}: {}", finding.rule, finding.summary)).collect()
    }

    fn failures(&self, page: &Inside) -> Vec<String> {
        let mut failures = self.found(&page.findings);
        for missing in &page.not_looked_for {
            let rules: Vec<&str> = missing.rules.iter().map(String::as_str).filter(|rule| self.is_of(rule)).collect();
            if !rules.is_empty() {
                failures.push(format!("{} could not be checked: {}", rules.join(", "), missing.why));
            }
        }
        for part in page.not_judged.iter().filter(|part| self.is_concerned(part)) {
            failures.push(format!("not judged: {}: {}", part.what, part.why));
        }
        failures
    }

    fn failures_of_profile(&self, result: &Profiled) -> Vec<String> {
        if !self.any && self.rules.is_empty() {
            return Vec::new();
        }
        let document = &result.document;
        let mut failures = self.found(&document.findings);
        if let Some(why) = result.profile.as_ref().and_then(blind) {
            let rules = if self.any { "the rules".to_owned() } else { self.rules.join(", ") };
            failures.push(format!("{rules} could not be checked: {why}"));
        } else if self.rules.contains(&COUNTS_CALLS) && document.functions.iter().all(|row| row.calls.is_none()) {
            let profiler = &document.profiler;
            failures.push(format!("{COUNTS_CALLS} could not be checked: {profiler} does not count calls"));
        }
        failures
    }

    /// Whether one of the rules may have missed something because of it.
    fn is_concerned(&self, part: &NotJudged) -> bool {
        let is_of_here = !part.elsewhere && !part.uncertain;
        is_of_here && (self.any || part.rules.iter().any(|rule| self.is_of(rule)))
    }
}

fn gate(name: &str, url: &str, failures: Vec<String>) -> Gate {
    let broken = !failures.is_empty();
    let found = if broken { failures.join("\n") } else { "nothing found".to_owned() };
    Gate { condition: name.to_owned(), url: url.to_owned(), broken, found, ..Gate::default() }
}

fn verdict(failures: Vec<String>) -> Result<(), Failure> {
    if failures.is_empty() { Ok(()) } else { Err(Failure::Gate(failures.join("\n"))) }
}

/// Why no rule can find anything in a profile.
fn blind(profile: &Profile) -> Option<String> {
    let is_code = |kind| matches!(kind, FrameKind::Function | FrameKind::Include | FrameKind::ClassLookup);
    match profile.requests() {
        _ if profile.total() == 0 => Some("no sample was taken".to_owned()),
        Some(few) if few < MIN_REQUESTS as u64 => {
            Some(format!("{few} requests were profiled, but rules need {MIN_REQUESTS}"))
        }
        _ if !profile.frames.iter().any(|(_, frame)| is_code(frame.kind)) => {
            Some("only machine code was seen, no function of the application".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
