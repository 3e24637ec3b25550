//! The principal type is [`Unjudged`]: a figure without a verdict.

use serde::Serialize;

use crate::key::Key;
use crate::row::{Row, named};
use crate::why_unjudged::WhyUnjudged;

/// A figure of two runs without a verdict: neither a difference, nor its absence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unjudged {
    /// Empty if the metric is for all pages.
    pub url: String,
    /// As in its row.
    pub metric: String,
    /// As in its row.
    pub arm: Option<String>,
    pub why: WhyUnjudged,
}

impl Unjudged {
    /// `None` if the row was judged.
    pub fn of(row: &Row) -> Option<Self> {
        let why = row.unjudged?;
        Some(Self { url: row.url.clone(), metric: row.metric.clone(), arm: row.arm.clone(), why })
    }

    /// The name that its row would have.
    pub fn name(&self) -> String {
        named(&self.metric, self.arm.as_deref(), None)
    }

    /// A metric without a row.
    pub(crate) fn left_out(key: &Key) -> Self {
        Self { url: key.url.clone(), metric: key.metric.clone(), arm: key.arm.clone(), why: WhyUnjudged::LeftOut }
    }
}
