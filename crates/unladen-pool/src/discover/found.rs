//! The principal type is [`Found`]: an endpoint from a discovery source.

use std::sync::Arc;

use crate::endpoint::{Address, Endpoint, Placed};

/// Maximum endpoints of one upstream; more are refused as a mistake.
pub(crate) const MOST: usize = 1_000;

/// Envoy's `Locality` bounds no length; zones are short names.
pub(crate) const LONGEST_ZONE: usize = 64;

/// Whether it can name a zone: it is shown on one line.
pub(crate) fn is_zone(zone: &str) -> bool {
    (1..=LONGEST_ZONE).contains(&zone.len()) && !zone.chars().any(char::is_control)
}

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

    /// The known endpoint of this address with its state, or a new one; its weight is updated.
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
