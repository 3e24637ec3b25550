//! The principal type is [`Unjudged`]: a figure of which nothing could be said.

use serde::{Serialize, Serializer};

use crate::history::FEW_RUNS;
use crate::row::Row;
use crate::verdict::Verdict;

/// A figure of two runs of which nothing could be said: neither a difference, nor that there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unjudged {
    /// The page; empty where the metric is of all of them.
    pub url: String,
    /// As of its row.
    pub metric: String,
    /// As of its row.
    pub arm: Option<String>,
    /// Why.
    pub why: WhyUnjudged,
}

/// Why nothing could be said of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhyUnjudged {
    /// Too few earlier runs tell how much it varies: the next runs change that.
    NoHistory,
    /// Enough earlier runs tell that it varies by more than could be seen.
    Varies,
    /// The two runs' machines or their speeds differ, or one of the runs does not know it.
    NotComparable,
}

// === impl Unjudged ===

impl Unjudged {
    /// Nothing, if the row was judged.
    pub fn of(row: &Row) -> Option<Self> {
        let why = match row.verdict {
            Verdict::TooFewRuns if row.runs < FEW_RUNS => WhyUnjudged::NoHistory,
            Verdict::TooFewRuns => WhyUnjudged::Varies,
            Verdict::NotComparable => WhyUnjudged::NotComparable,
            _ => return None,
        };
        Some(Self { url: row.url.clone(), metric: row.metric.clone(), arm: row.arm.clone(), why })
    }
}

// === impl WhyUnjudged ===

impl WhyUnjudged {
    /// The words for it, in reports and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoHistory => "too few earlier runs",
            Self::Varies => "varies too much between runs",
            Self::NotComparable => "not comparable",
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
