//! The principal type is [`WhyUnjudged`]: why a figure has no verdict.

use serde::{Serialize, Serializer};

/// Why a figure has no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhyUnjudged {
    /// Too few earlier runs to know how much it varies: the next runs change that.
    NoHistory,
    /// Enough earlier runs show that it varies too much to see a difference.
    Varies,
    /// Enough earlier runs show its variation, but the two runs themselves are less precise than that: longer runs
    /// change that.
    Imprecise,
    /// The two runs' machines or their speeds differ, or one of the runs does not know its own.
    NotComparable,
    /// One of the two runs lost records, so that its figure is too low.
    RecordsLost,
    /// The two runs have more metrics than one comparison judges.
    LeftOut,
}

// === impl WhyUnjudged ===

impl WhyUnjudged {
    /// All reasons, in the order of reports.
    pub const ALL: [Self; 6] =
        [Self::NoHistory, Self::Varies, Self::Imprecise, Self::NotComparable, Self::RecordsLost, Self::LeftOut];

    /// The name in reports and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoHistory => "too few earlier runs",
            Self::Varies => "varies too much between runs",
            Self::Imprecise => "the runs are too short",
            Self::NotComparable => "not comparable",
            Self::RecordsLost => "records were lost",
            Self::LeftOut => "left out of the comparison",
        }
    }
}

impl std::fmt::Display for WhyUnjudged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for WhyUnjudged {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
