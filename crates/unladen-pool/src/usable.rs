//! The principal type is [`Usable`]: how many of an upstream's endpoints can take requests, as far as known without
//! probing.

use std::os::unix::fs::FileTypeExt;
use std::sync::atomic::Ordering;

use crate::endpoint::{Address, Endpoint};
use crate::upstream::Upstream;

/// How many of an upstream's endpoints can take requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usable {
    pub usable: usize,
    /// All that may get requests, without drained ones.
    pub all: usize,
}

impl Upstream {
    /// Counts usable endpoints. Failures of requests (the breaker, ejected endpoints) do not count: they are over in a
    /// moment, and come from the requests themselves.
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
