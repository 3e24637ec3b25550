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
    /// Its name, as in `unladen rules NAME`: `stat-storm`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it finds, in half a line.
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// What must have been looked at; without, it is not silently clean but reported as not looked for.
    pub fn needs(&self) -> &'static [EvidenceSource] {
        self.needs
    }

    /// What it looks at besides, where there is such a program. If there is one and it cannot be looked at, a note says
    /// so.
    pub fn reads(&self) -> &'static [EvidenceSource] {
        self.reads
    }

    /// Its page: `docs/reference/rules/NAME.md`.
    pub fn page(&self) -> &'static str {
        self.page
    }

    /// Looks. One finding a group (or peer, or statement) that it is true of, in no particular order.
    pub fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        (self.check)(evidence)
    }
}
