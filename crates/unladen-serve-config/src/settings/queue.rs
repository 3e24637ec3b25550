//! The principal type is [`QueueSettings`]: requests that wait for the application.

use std::time::Duration;

use serde::Serialize;

/// A queue of requests for the application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueueSettings {
    /// Requests at the application at a time; `None` for as many as it says it can take.
    pub running: Option<usize>,
    /// Waiting requests; beyond: 503.
    pub length: usize,
    /// Longest wait of a request; beyond: 503.
    pub wait: Duration,
    /// The cookie that tells apart clients that share an address.
    pub cookie: Option<String>,
}
