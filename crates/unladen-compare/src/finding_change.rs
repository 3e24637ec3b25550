//! The principal type is [`FindingChange`]: a pattern of waste in two runs.

use serde::{Serialize, Serializer};

use crate::figure::Figure;

/// A pattern of waste in two runs, matched by page, rule, group and state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingChange {
    pub url: String,
    pub rule: String,
    pub group: String,
    /// `warm` or `fresh`.
    pub state: String,
    /// The later run's sentence; if it is gone, the earlier one's.
    pub summary: String,
    pub counted: String,
    pub unit: String,
    pub before: Option<Figure>,
    pub after: Option<Figure>,
    pub verdict: FindingVerdict,
    pub why: Option<String>,
}

/// The verdict on a pattern of waste.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FindingVerdict {
    Gone,
    New,
    /// In both runs, without a measurable difference.
    StillThere,
    /// In both runs, and certainly more in the later one.
    Heavier,
    /// In both runs, and certainly less in the later one.
    Lighter,
    /// In one run, and in earlier runs now and then: no news.
    ComesAndGoes,
    /// In one run, and the other did not look for it.
    NotLookedFor,
}

impl FindingVerdict {
    /// The name in reports and in JSON.
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
