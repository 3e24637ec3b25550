//! The principal type is [`Capacity`]: the result of a search for the highest rate.

use serde::{Deserialize, Serialize};

/// The highest rate that kept a limit.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Capacity {
    pub limit: String,
    pub highest: Option<f64>,
    pub lowest_broken: Option<f64>,
    pub trials: Vec<Trial>,
}

impl Capacity {
    /// The lowest rate that broke the limit because requests failed, and the failure.
    pub fn broken_by_failures(&self) -> Option<(&Trial, &str)> {
        let trial = self.trials.iter().rev().find(|trial| Some(trial.rate) == self.lowest_broken)?;
        Some((trial, trial.failure.as_deref()?))
    }
}

/// One rate that was tried.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Trial {
    pub rate: f64,
    pub planned: u64,
    pub quantile_ns: Option<u64>,
    pub low: Option<u64>,
    pub high: Option<u64>,
    pub errors: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    pub held: Option<bool>,
    pub unfit: bool,
}
