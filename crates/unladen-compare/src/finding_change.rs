//! The principal type is [`FindingChange`]: a pattern of waste in two runs.

use serde::{Serialize, Serializer};

use crate::figure::Figure;

/// A pattern of waste of two runs, matched by page, rule, group and state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingChange {
    /// The page.
    pub url: String,
    /// Which pattern.
    pub rule: String,
    /// Whose waste; empty for what the page answers.
    pub group: String,
    /// `warm` or `fresh`.
    pub state: String,
    /// The later run's sentence; where it is gone, the earlier one's.
    pub summary: String,
    /// The name of the figure below: what the finding counts.
    pub counted: String,
    /// `ns`, `B` or `1`.
    pub unit: String,
    /// Its first figure per request in the earlier run.
    pub before: Option<Figure>,
    /// Likewise in the later run.
    pub after: Option<Figure>,
    /// What is said of it.
    pub verdict: FindingVerdict,
    /// Where it cannot be judged: why.
    pub why: Option<String>,
}

/// What is said of a pattern of waste.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FindingVerdict {
    /// It was there before, and is not any more.
    Gone,
    /// It was not there before.
    New,
    /// It is in both, and no measurable difference between them.
    StillThere,
    /// It is in both, and the later run has more of it for certain.
    Heavier,
    /// It is in both, and the later run has less of it for certain.
    Lighter,
    /// It is in one of them, and earlier runs had it now and then: no news.
    ComesAndGoes,
    /// It is in one of them, and the other run did not look for it.
    NotLookedFor,
}

impl FindingVerdict {
    /// The words for it, in reports and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::New => "new",
            Self::StillThere => "still there",
            Self::Heavier => "still there, heavier",
            Self::Lighter => "still there, lighter",
            Self::ComesAndGoes => "comes and goes",
            Self::NotLookedFor => "not looked for",
        }
    }
}

impl std::fmt::Display for FindingVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for FindingVerdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
