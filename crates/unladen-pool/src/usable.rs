//! The principal type is [`Usable`]: how many of an upstream's endpoints can take requests, as far as is known without
//! asking them.

use std::os::unix::fs::FileTypeExt;
use std::sync::atomic::Ordering;

use crate::endpoint::{Address, Endpoint};
use crate::upstream::Upstream;

/// How many of an upstream's endpoints can take requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usable {
    /// Those that health checks have not taken out, and whose socket is there if they are at one.
    pub usable: usize,
    /// All that may get requests: those that are being drained are not among them.
    pub all: usize,
}

impl Upstream {
    /// How many of its endpoints can take requests. What failed for requests (the breaker, ejected endpoints) does not
    /// count: it is over in a moment, and comes from the requests themselves.
    pub fn usable(&self) -> Usable {
        let balancer = self.endpoints();
        let endpoints = balancer.endpoints();
        Usable { usable: endpoints.iter().filter(|endpoint| can_be_used(endpoint)).count(), all: endpoints.len() }
    }
}

fn can_be_used(endpoint: &Endpoint) -> bool {
    let is_there = match &endpoint.address {
        Address::Tcp(_) => true,
        Address::Unix(path) => std::fs::metadata(path).is_ok_and(|file| file.file_type().is_socket()),
    };
    is_there && endpoint.healthy.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests;
