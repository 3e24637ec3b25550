//! The principal type is [`FailOn`]: findings that a script does not accept.

use unladen_finding::Finding;
use unladen_report::Inside;
use unladen_trace::Source;

use crate::cmd::rules;
use crate::exit::Failure;

/// Stands for every rule.
const ANY: &str = "any";

/// Rules that must not find anything.
#[derive(Debug, Default)]
pub(super) struct FailOn {
    any: bool,
    rules: Vec<&'static str>,
}

impl FailOn {
    /// From what was typed for `unladen weigh`.
    ///
    /// # Errors
    /// If a rule does not exist, or reads profiles.
    pub(super) fn new(names: &[String]) -> Result<Self, Failure> {
        Self::of(names, false)
    }

    /// From what was typed for `unladen profile`.
    ///
    /// # Errors
    /// If a rule does not exist, or reads no profiles.
    pub(super) fn of_profiles(names: &[String]) -> Result<Self, Failure> {
        Self::of(names, true)
    }

    fn of(names: &[String], profiles: bool) -> Result<Self, Failure> {
        let mut gate = Self::default();
        for name in names {
            if name == ANY {
                gate.any = true;
                continue;
            }
            let rule = rules::named(name)?;
            // A gate that nobody ever looks through would always be open.
            if rule.needs().contains(&Source::Profile) != profiles {
                let command = if profiles { "weigh" } else { "profile" };
                return Err(Failure::Usage(format!("the rule {name} is one of `unladen {command}`")));
            }
            gate.rules.push(rule.name());
        }
        Ok(gate)
    }

    /// # Errors
    /// If one of them found something.
    pub(super) fn judge_findings(&self, url: &str, findings: &[Finding]) -> Result<(), Failure> {
        let found = findings.iter().filter(|finding| self.any || self.rules.contains(&finding.rule));
        let failures: Vec<String> =
            found.map(|finding| format!("{url}: {}: {}", finding.rule, finding.summary)).collect();
        if failures.is_empty() { Ok(()) } else { Err(Failure::Gate(failures.join("\n"))) }
    }

    /// # Errors
    /// If one of them found something, or could not look: what was not looked at is not clean.
    pub(super) fn judge<'a>(&self, pages: impl IntoIterator<Item = &'a Inside>) -> Result<(), Failure> {
        let mut failures = Vec::new();
        for page in pages {
            for finding in page.all_findings().filter(|finding| self.any || self.rules.contains(&finding.rule)) {
                failures.push(format!("{}: {}: {}", page.url, finding.rule, finding.summary));
            }
            for missing in &page.not_looked {
                for rule in missing.rules.iter().filter(|rule| self.rules.contains(rule)) {
                    failures.push(format!("{}: {rule} could not be looked for: {}", page.url, missing.why));
                }
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(Failure::Gate(failures.join("\n"))) }
    }
}
