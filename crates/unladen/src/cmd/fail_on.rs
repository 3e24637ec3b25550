//! The principal type is [`FailOn`]: findings that a script does not accept.

use unladen_report::Inside;

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
    /// From what was typed.
    ///
    /// # Errors
    /// If a rule does not exist.
    pub(super) fn new(names: &[String]) -> Result<Self, Failure> {
        let mut gate = Self::default();
        for name in names {
            match name.as_str() {
                ANY => gate.any = true,
                name => gate.rules.push(rules::named(name)?.name()),
            }
        }
        Ok(gate)
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
