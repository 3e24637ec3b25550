//! The principal type is [`Options`]: what `prove` was asked for, resolved.

use std::path::PathBuf;

use unladen_agent::{Host, SessionOptions};
use unladen_probe::GroupBy;
use unladen_prove::Experiment;

use crate::condition::Condition;

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) experiment: Experiment,
    /// Stop when the interval of the first quantile's ratio is this narrow, as a share.
    pub(crate) until: Option<f64>,
    /// The command line sets the budget: `until` may end it earlier, but not later.
    pub(crate) is_budget_firm: bool,
    pub(crate) fail_on: Vec<Condition>,
    /// How processes are grouped; `None` to compare latencies alone.
    pub(crate) group_by: Option<GroupBy>,
    /// Seeds the order of arms, arrivals and the mix.
    pub(crate) seed: u64,
    pub(crate) profiles: Option<Profiles>,
    /// Sending hosts; empty for this one.
    pub(crate) hosts: Vec<Host>,
    pub(crate) sessions: SessionOptions,
    pub(crate) quiet: bool,
}

/// Profiles of the arms, made after all timing.
#[derive(Debug)]
pub(crate) struct Profiles {
    pub(crate) folder: PathBuf,
    pub(crate) options: crate::profile::Options,
}

impl Options {
    /// The quantiles to compare, with their names, including those of conditions.
    pub(crate) fn quantiles(&self) -> Vec<(String, f64)> {
        let mut quantiles: Vec<(String, f64)> =
            self.experiment.quantiles.iter().map(|quantile| (quantile.to_string(), quantile.share())).collect();
        for name in self.fail_on.iter().filter_map(|condition| condition.quantile()) {
            if let (false, Ok(quantile)) =
                (quantiles.iter().any(|(known, _)| known == name), name.parse::<unladen_prove::Quantile>())
            {
                quantiles.push((name.to_owned(), quantile.share()));
            }
        }
        quantiles
    }
}
