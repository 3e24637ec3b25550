//! The principal type is [`World`].

use std::cell::RefCell;

use super::peer::Peer;
use super::route::{Plan, Route, Upstream};
use super::service::Service;
use crate::Result;
use crate::rig::ports::Ports;
use crate::scratch::ScratchFolder;

/// What all cases share.
pub(super) struct World {
    pub(super) scratch: ScratchFolder,
    pub(super) ports: RefCell<Ports>,
    pub(super) service: Service,
    /// Ours first.
    pub(super) peers: Vec<Box<dyn Peer>>,
    pub(super) rounds: Option<usize>,
}

impl World {
    pub(super) fn rounds_or(&self, usual: usize) -> usize {
        self.rounds.unwrap_or(usual)
    }

    pub(super) fn route(&self, name: &str, upstream: Upstream) -> Result<Route> {
        Route::tcp(name, upstream, &mut self.ports.borrow_mut())
    }

    pub(super) fn plan(&self, routes: Vec<Route>) -> Plan {
        Plan { routes, ca: self.service.certificates.ca.clone() }
    }
}
