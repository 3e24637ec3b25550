//! The principal type is [`Placed`]: an endpoint, and its place among the others of its upstream.

use std::sync::Arc;

use crate::endpoint::Endpoint;

/// An endpoint, and its place among the others.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The endpoint. Its weight is its share among those of the same priority.
    pub endpoint: Arc<Endpoint>,
    /// The lower, the earlier: those of the next are taken only while none of this can be used.
    pub priority: u32,
    /// Where it stands.
    pub zone: Option<String>,
    /// It gets no more requests; those that are under way end.
    pub draining: bool,
}

impl Placed {
    /// First among all, in no zone.
    pub fn first(endpoint: Arc<Endpoint>) -> Self {
        Self { endpoint, priority: 0, zone: None, draining: false }
    }
}
