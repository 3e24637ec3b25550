//! The principal type is [`Series`]: runs of one server, one after another, as they would be kept.

use std::fs;
use std::path::Path;
use std::time::Duration;

use unladen_compare::{History, compare};
use unladen_document::Document;

use super::binaries::Binaries;
use super::disturbance::{Disturbance, Neighbour};
use super::error::RealError;
use super::served::{Served, Started};
use super::weigh::Setting;

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

impl Series {
    /// Of runs of this server that measure for so long, each beside one of these, by lot.
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

    /// One run: a request does `more` times its work on top (0.03 is 3 %). Its document is written to `kept`, and read from
    /// there if it is there already.
    pub fn run(&mut self, binaries: &Binaries, more: f64, kept: Option<&Path>) -> Result<Document, RealError> {
        // Drawn of one that is kept too: what is beside those after it is the same then.
        let beside = self.rng.choice(self.beside).copied().unwrap_or(Neighbour::Nothing);
        let seed = self.rng.u64(..1 << 32);
        if let Some(text) = kept.and_then(|file| fs::read(file).ok()) {
            return read(&text);
        }
        let started = self.served.start(binaries, more, self.time * 3 + Duration::from_secs(60))?;
        let text = self.text(binaries, &started, beside, seed)?;
        if let Some(file) = kept {
            let part = file.with_extension("part");
            fs::write(&part, &text).and_then(|()| fs::rename(&part, file)).map_err(RealError::of("a kept run"))?;
        }
        read(&text)
    }

    fn weigh(
        &self,
        binaries: &Binaries,
        started: &Started,
        beside: Neighbour,
        seed: u64,
    ) -> Result<Document, RealError> {
        read(&self.text(binaries, started, beside, seed)?)
    }

    fn text(&self, binaries: &Binaries, started: &Started, beside: Neighbour, seed: u64) -> Result<Vec<u8>, RealError> {
        let _disturbance = Disturbance::start(beside, seed, &started.victim)?;
        let setting = Setting { time: self.time, ..Setting::beside(beside, seed) };
        setting.document(binaries, &started.url)
    }
}

fn read(text: &[u8]) -> Result<Document, RealError> {
    Document::read(text).map_err(|error| RealError::failed(format!("unladen weigh: {error}")))
}
