//! The principal type is [`Served`]: what a series weighs.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use super::binaries::Binaries;
use super::burn::{Burn, Victim};
use super::error::RealError;
use crate::findings::Pledges;

/// Steps of a request of `burn`: some 10 ms.
const STEPS: u64 = 3_000_000;

/// A server that is started anew for each run, as after a deployment, at the same address, and whose requests can be made to do
/// more.
#[derive(Debug)]
pub enum Served {
    /// `subjects/burn`, of which every step is known.
    Burn { address: SocketAddr },
    /// `subjects/pledges`: PHP, PostgreSQL and nginx.
    Pledges {
        subject: Box<Pledges>,
        /// Steps of PHP that cost as much as its whole page.
        steps: f64,
    },
}

/// One that is started, for one run.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) url: String,
    /// Whom others disturb.
    pub(super) victim: Victim,
    _burn: Option<Burn>,
}

impl Served {
    pub fn burn() -> Result<Self, RealError> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        Ok(Self::Burn { address: free.map_err(RealError::of("a free port"))? })
    }

    /// It is not known yet what a step costs: `steps` do not count until then.
    pub fn pledges() -> Result<Self, RealError> {
        Ok(Self::Pledges { subject: Box::new(Pledges::start()?), steps: 0.0 })
    }

    /// Starts it. A request does `more` times its work on top: 0.03 is 3 %.
    pub(super) fn start(&self, binaries: &Binaries, more: f64, lifetime: Duration) -> Result<Started, RealError> {
        match self {
            Self::Burn { address } => {
                let burn = Burn::working(binaries, (STEPS as f64 * (1.0 + more)) as u64, *address, lifetime)?;
                let victim = Victim { pids: vec![burn.pid()], address: burn.address() };
                Ok(Started { url: burn.url(), victim, _burn: Some(burn) })
            }
            Self::Pledges { subject, steps } => Self::working(subject, (steps * more) as u64),
        }
    }

    /// Pledges, with so many steps of PHP on top of each page.
    pub(super) fn working(subject: &Pledges, steps: u64) -> Result<Started, RealError> {
        subject.restart_with_steps(steps)?;
        let victim = Victim { pids: subject.php()?, address: subject.address()? };
        Ok(Started { url: subject.url().to_owned(), victim, _burn: None })
    }
}
