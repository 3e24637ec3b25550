//! The principal type is [`Comparable`]: whether two runs can be compared.

use serde::Serialize;

/// Whether two runs can be compared, with reasons as sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", content = "reasons")]
pub enum Comparable {
    /// Runs of one machine, measured the same way.
    #[serde(rename = "yes")]
    Yes,
    /// Runs of different machines: counts are compared as they are, times only in units of the reference work.
    #[serde(rename = "across machines")]
    AcrossMachines(Vec<String>),
    /// They answer different questions.
    #[serde(rename = "no")]
    No(Vec<String>),
}

impl Comparable {
    /// Why not, or why only with care.
    pub fn reasons(&self) -> &[String] {
        match self {
            Self::Yes => &[],
            Self::AcrossMachines(reasons) | Self::No(reasons) => reasons,
        }
    }

    /// Whether the comparison has rows.
    pub fn is_comparable(&self) -> bool {
        !matches!(self, Self::No(_))
    }
}
