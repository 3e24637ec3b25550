//! The principal type is [`QueueSettings`]: requests that wait for the application.

use std::time::Duration;

use serde::Serialize;

/// Requests that wait for the application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueueSettings {
    /// Requests at the application at a time; none: as many as it says that it can take.
    pub running: Option<usize>,
    /// Requests that wait; beyond: 503.
    pub length: usize,
    /// How long one waits; beyond: 503.
    pub wait: Duration,
    /// The cookie that tells apart who shares an address.
    pub cookie: Option<String>,
}
