//! The principal type is [`Series`]: runs of one server, one after another, as they would be kept.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use unladen_document::Document;

use super::binaries::Binaries;
use super::burn::Burn;
use super::disturbance::{Disturbance, Neighbour};
use super::error::RealError;
use super::setting::Setting;
use super::weigh;

/// Runs of one server. It is started anew for each, as after a deployment, at the same address.
#[derive(Debug)]
pub struct Series {
    address: SocketAddr,
    time: Duration,
    beside: &'static [Neighbour],
    rng: fastrand::Rng,
}

// === impl Series ===

impl Series {
    /// Of runs that measure for so long, each beside one of these, by lot.
    ///
    /// # Errors
    /// If no port is free.
    pub fn new(time: Duration, beside: &'static [Neighbour], seed: u64) -> Result<Self, RealError> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let address = free.map_err(RealError::io("a free port"))?;
        Ok(Self { address, time, beside, rng: fastrand::Rng::with_seed(seed) })
    }

    /// One run: a request does so many steps of work.
    ///
    /// # Errors
    /// If a program fails, or its document cannot be read.
    pub fn run(&mut self, binaries: &Binaries, steps: u64) -> Result<Document, RealError> {
        let beside = self.rng.choice(self.beside).copied().unwrap_or(Neighbour::Nothing);
        let seed = self.rng.u64(..1 << 32);
        let subject = Burn::working(binaries, steps, self.address, self.time * 3 + Duration::from_secs(60))?;
        let disturbance = Disturbance::start(beside, seed, &subject)?;
        let setting = Setting { time: self.time, ..Setting::beside(beside, seed) };
        let text = weigh::document(binaries, &subject, &setting)?;
        drop(disturbance);
        Document::read(&text).map_err(|error| RealError::failed(format!("unladen weigh: {error}")))
    }
}
