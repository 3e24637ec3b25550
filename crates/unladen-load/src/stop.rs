//! The principal type is [`Stop`]: when a run stops sending; [`End`] is why it did.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// When a run stops sending.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// No request is sent after this; those under way are waited for.
    pub until: Instant,
    pub max_requests: Option<u64>,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum End {
    Until,
    Requests,
    Cancelled,
    Failed,
}

impl Stop {
    /// Stops `time` from now.
    pub fn after(time: Duration) -> Self {
        let now = Instant::now();
        // A time beyond the clock's end is beyond any bound on requests too; a century is as good.
        let century = Duration::from_secs(100 * 365 * 24 * 3600);
        Self { until: now.checked_add(time).unwrap_or(now + century), max_requests: None }
    }

    /// Also stops after this many requests.
    #[must_use]
    pub fn or_requests(self, most: u64) -> Self {
        Self { max_requests: Some(most), ..self }
    }
}
