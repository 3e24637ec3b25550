//! The principal type is [`Capacity`]: what a search for the highest rate found.

use serde::{Deserialize, Serialize};

/// The highest rate that held a limit.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Capacity {
    /// The limit, as the user wrote it.
    pub limit: String,
    /// Requests a second that held it.
    pub highest: Option<f64>,
    /// The lowest that did not.
    pub lowest_broken: Option<f64>,
    /// All rates that were tried, in that order.
    pub trials: Vec<Trial>,
}

impl Capacity {
    /// The lowest rate that broke the limit because requests failed, and how.
    pub fn broken_by_failures(&self) -> Option<(&Trial, &str)> {
        let trial = self.trials.iter().rev().find(|trial| Some(trial.rate) == self.lowest_broken)?;
        Some((trial, trial.failure.as_deref()?))
    }
}

/// One rate that was tried.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Trial {
    /// Requests a second.
    pub rate: f64,
    /// Requests whose time had come.
    pub planned: u64,
    /// The limit's quantile of latency.
    pub quantile_ns: Option<u64>,
    /// Lower end of its 95 % interval.
    pub low: Option<u64>,
    /// Upper end of its 95 % interval.
    pub high: Option<u64>,
    /// Requests not answered as expected.
    pub errors: u64,
    /// The first failure of the kind that came most often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Whether the limit was held; null if undecided.
    pub held: Option<bool>,
    /// Whether the generator, not the server, was the bound.
    pub unfit: bool,
}
