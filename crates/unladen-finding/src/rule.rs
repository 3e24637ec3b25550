//! The principal type is [`Rule`].

use unladen_trace::{Evidence, EvidenceSource};

use crate::finding::Finding;

/// Recognises one pattern of waste.
pub trait Rule: Sync {
    /// Its name, as in `unladen rules NAME`: `stat-storm`.
    fn name(&self) -> &'static str;

    /// What it finds, in half a line.
    fn about(&self) -> &'static str;

    /// What must have been looked at; without, it is not silently clean but reported as not looked for.
    fn needs(&self) -> &'static [EvidenceSource];

    /// What it looks at besides, where there is such a program. Where there is one and it cannot be looked at, that is
    /// told.
    fn reads(&self) -> &'static [EvidenceSource] {
        &[]
    }

    /// Its page: `docs/reference/rules/NAME.md`.
    fn page(&self) -> &'static str;

    /// Looks. One finding a group (or peer, or statement) that it is true of, in no particular order.
    fn check(&self, evidence: &Evidence) -> Vec<Finding>;
}
