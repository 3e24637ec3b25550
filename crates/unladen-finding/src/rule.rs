//! The principal type is [`Rule`].

use unladen_trace::{Evidence, EvidenceSource};

use crate::finding::Finding;

/// Recognises one pattern of waste.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) needs: &'static [EvidenceSource],
    pub(crate) reads: &'static [EvidenceSource],
    pub(crate) page: &'static str,
    pub(crate) check: fn(&Evidence) -> Vec<Finding>,
}

impl Rule {
    /// The name, as in `unladen rules NAME`: `stat-storm`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it finds, in half a line.
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// Sources it needs; without them it is reported as not looked for, not silently clean.
    pub fn needs(&self) -> &'static [EvidenceSource] {
        self.needs
    }

    /// Sources it reads besides. If the program exists but cannot be looked into, a note says so.
    pub fn reads(&self) -> &'static [EvidenceSource] {
        self.reads
    }

    /// Its page: `docs/reference/rules/NAME.md`.
    pub fn page(&self) -> &'static str {
        self.page
    }

    /// Returns one finding per matching group, peer or statement, unordered.
    pub fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        (self.check)(evidence)
    }
}
