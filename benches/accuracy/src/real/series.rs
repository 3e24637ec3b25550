//! The principal type is [`Series`]: runs of one server, one after another, as they would be kept.

use std::time::Duration;

use unladen_compare::{History, compare};
use unladen_document::Document;

use super::binaries::Binaries;
use super::disturbance::{Disturbance, Neighbour};
use super::error::RealError;
use super::served::{Served, Started};
use super::setting::Setting;
use super::weigh;

/// The CPU of all that a request runs through.
const CPU: &str = "weight.cpu";
/// Steps of PHP by which their cost is found: some milliseconds.
const TRIED: u64 = 100_000;

/// Runs of one server. It is started anew for each.
#[derive(Debug)]
pub struct Series {
    served: Served,
    time: Duration,
    beside: &'static [Neighbour],
    rng: fastrand::Rng,
}

// === impl Series ===

impl Series {
    /// Of runs of this server that measure for so long, each beside one of these, by lot.
    ///
    /// # Errors
    /// If the cost of its work cannot be found.
    pub fn new(
        served: Served,
        time: Duration,
        beside: &'static [Neighbour],
        seed: u64,
        binaries: &Binaries,
    ) -> Result<Self, RealError> {
        let mut series = Self { served, time, beside, rng: fastrand::Rng::with_seed(seed) };
        if let Served::Pledges { subject, .. } = &series.served {
            let steps = TRIED as f64
                / series.cost(binaries, || Served::working(subject, 0), || Served::working(subject, TRIED))?;
            if let Served::Pledges { steps: known, .. } = &mut series.served {
                *known = steps;
            }
        }
        Ok(series)
    }

    /// What the second costs on top of the first, as a share of it.
    fn cost(
        &self,
        binaries: &Binaries,
        without: impl FnOnce() -> Result<Started, RealError>,
        with: impl FnOnce() -> Result<Started, RealError>,
    ) -> Result<f64, RealError> {
        let without = self.weigh(binaries, &without()?, Neighbour::Nothing, 1)?;
        let with = self.weigh(binaries, &with()?, Neighbour::Nothing, 2)?;
        let comparison = compare(&without, &with, &History::default());
        let row = comparison.rows.iter().find(|row| row.metric == CPU);
        let ratio = row.and_then(|row| row.ratio).map(|ratio| ratio.value).filter(|ratio| *ratio > 1.1);
        ratio.map(|ratio| ratio - 1.0).ok_or_else(|| RealError::failed("the work of PHP does not show in its CPU"))
    }

    /// One run: a request does `more` times its work on top (0.03 is 3 %).
    ///
    /// # Errors
    /// If a program fails, or its document cannot be read.
    pub fn run(&mut self, binaries: &Binaries, more: f64) -> Result<Document, RealError> {
        let beside = self.rng.choice(self.beside).copied().unwrap_or(Neighbour::Nothing);
        let seed = self.rng.u64(..1 << 32);
        let started = self.served.start(binaries, more, self.time * 3 + Duration::from_secs(60))?;
        self.weigh(binaries, &started, beside, seed)
    }

    fn weigh(
        &self,
        binaries: &Binaries,
        started: &Started,
        beside: Neighbour,
        seed: u64,
    ) -> Result<Document, RealError> {
        let disturbance = Disturbance::start(beside, seed, &started.victim)?;
        let setting = Setting { time: self.time, ..Setting::beside(beside, seed) };
        let text = weigh::document(binaries, &started.url, &setting)?;
        drop(disturbance);
        Document::read(&text).map_err(|error| RealError::failed(format!("unladen weigh: {error}")))
    }
}
