//! The principal type is [`WhyUnjudged`]: why nothing could be said of a figure.

use serde::{Serialize, Serializer};

/// Why nothing could be said of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhyUnjudged {
    /// Too few earlier runs tell how much it varies: the next runs change that.
    NoHistory,
    /// Enough earlier runs tell that it varies by more than could be seen.
    Varies,
    /// Enough earlier runs tell how much it varies, and the two runs themselves know it less well than that: longer runs
    /// change that.
    Imprecise,
    /// The two runs' machines or their speeds differ, or one of the runs does not know it.
    NotComparable,
    /// One of the two runs lost records of it, so that its figure is too low.
    RecordsLost,
    /// The two runs have more metrics than one comparison judges.
    LeftOut,
}

// === impl WhyUnjudged ===

impl WhyUnjudged {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 6] =
        [Self::NoHistory, Self::Varies, Self::Imprecise, Self::NotComparable, Self::RecordsLost, Self::LeftOut];

    /// The words for it, in reports and in JSON.
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
