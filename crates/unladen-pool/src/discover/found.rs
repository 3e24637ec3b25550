//! The principal type is [`Found`]: an endpoint as it is told by whoever knows the endpoints.

use std::sync::Arc;

use crate::endpoint::{Address, Endpoint};
use crate::placed::Placed;

/// Most endpoints of one upstream. More are refused: nobody has meant them.
pub(crate) const MOST: usize = 1_000;

/// As of Envoy's `Locality`, which bounds no length; zones are short names.
pub(crate) const LONGEST_ZONE: usize = 64;

/// Whether it can be the name of a zone: it is shown on one line.
pub(crate) fn is_zone(zone: &str) -> bool {
    (1..=LONGEST_ZONE).contains(&zone.len()) && !zone.chars().any(char::is_control)
}

/// An endpoint as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) address: Address,
    /// At least 1.
    pub(crate) weight: u32,
    pub(crate) priority: u32,
    pub(crate) zone: Option<String>,
    pub(crate) draining: bool,
}

impl Found {
    pub(crate) fn new(address: Address) -> Self {
        Self { address, weight: 1, priority: 0, zone: None, draining: false }
    }

    /// The endpoint that is known of this address, with all that is known of it, or a new one; with the weight that it
    /// has now.
    pub(crate) fn place(self, known: &[Placed]) -> Placed {
        use std::sync::atomic::Ordering::Relaxed;
        let Self { address, weight, priority, zone, draining } = self;
        let endpoint = match known.iter().find(|known| known.endpoint.address == address) {
            Some(known) => known.endpoint.clone(),
            None => Arc::new(Endpoint::new(address, 0, weight)),
        };
        endpoint.weight.store(weight, Relaxed);
        Placed { endpoint, priority, zone, draining }
    }
}
