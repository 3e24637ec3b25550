//! The principal type is [`Endpoint`]: one address of an upstream, and its state.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// One address of an upstream. Shared by all threads.
#[derive(Debug)]
pub struct Endpoint {
    pub address: Address,
    pub origin: usize,
    pub weight: AtomicU32,
    pub in_flight: AtomicU32,
    pub healthy: AtomicBool,
    pub failures: AtomicU32,
    /// End of the ejection, in milliseconds of the upstream's own clock; 0 if there is none.
    pub ejected_until: AtomicU64,
    pub ejections: AtomicU32,
}

/// A request in flight to an endpoint.
#[derive(Debug)]
pub struct Busy(std::sync::Arc<Endpoint>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where to connect to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// Addresses of one host, the preferred first; raced if the first is slow (RFC 8305).
    Tcp(Vec<SocketAddr>),
    Unix(PathBuf),
}

impl Endpoint {
    /// A healthy endpoint.
    pub fn new(address: Address, origin: usize, weight: u32) -> Self {
        Self {
            address,
            origin,
            weight: AtomicU32::new(weight),
            in_flight: AtomicU32::new(0),
            healthy: AtomicBool::new(true),
            failures: AtomicU32::new(0),
            ejected_until: AtomicU64::new(0),
            ejections: AtomicU32::new(0),
        }
    }

    /// Counts a request in flight until the result is dropped.
    pub fn busy(self: &std::sync::Arc<Self>) -> Busy {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        Busy(self.clone())
    }

    /// Whether it may be chosen at this time (milliseconds of the upstream's clock).
    pub fn is_available(&self, now_ms: u64) -> bool {
        self.healthy.load(Ordering::Relaxed) && self.ejected_until.load(Ordering::Relaxed) <= now_ms
    }
}

impl Address {
    pub(crate) fn of_tcp(&self) -> &[SocketAddr] {
        match self {
            Self::Tcp(addresses) => addresses,
            Self::Unix(_) => &[],
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tcp(addresses) => match addresses.first() {
                Some(address) => address.fmt(f),
                None => f.write_str("no address"),
            },
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// An endpoint with its priority and zone.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Its weight is relative to those of the same priority.
    pub endpoint: Arc<Endpoint>,
    /// Lower ones first: the next priority is used only if none of this can be.
    pub priority: u32,
    pub zone: Option<String>,
    pub draining: bool,
}

impl Placed {
    /// Places it at the first priority, without a zone.
    pub fn first(endpoint: Arc<Endpoint>) -> Self {
        Self { endpoint, priority: 0, zone: None, draining: false }
    }
}
