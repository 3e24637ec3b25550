//! The principal type is [`Placed`]: an endpoint with its priority and zone.

use std::sync::Arc;

use crate::endpoint::Endpoint;

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
