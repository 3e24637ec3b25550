//! The principal type is [`Unjudged`]: a figure of which nothing could be said.

use serde::Serialize;

use crate::key::Key;
use crate::row::{Row, named};
use crate::why_unjudged::WhyUnjudged;

/// A figure of two runs of which nothing could be said: neither a difference, nor that there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unjudged {
    /// The page; empty where the metric is of all of them.
    pub url: String,
    /// As of its row.
    pub metric: String,
    /// As of its row.
    pub arm: Option<String>,
    pub why: WhyUnjudged,
}

impl Unjudged {
    /// Nothing, if the row was judged.
    pub fn of(row: &Row) -> Option<Self> {
        let why = row.unjudged?;
        Some(Self { url: row.url.clone(), metric: row.metric.clone(), arm: row.arm.clone(), why })
    }

    /// As its row would be called.
    pub fn name(&self) -> String {
        named(&self.metric, self.arm.as_deref(), None)
    }

    /// One that has no row.
    pub(crate) fn left_out(key: &Key) -> Self {
        Self { url: key.url.clone(), metric: key.metric.clone(), arm: key.arm.clone(), why: WhyUnjudged::LeftOut }
    }
}
