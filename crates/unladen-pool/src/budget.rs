//! The principal type is [`Budget`]: bounds retries by a share of all requests.
//!
//! Retries bounded only for each request multiply the load of a failing upstream: with one retry each, twice the
//! requests at the worst moment. Bounded by a share of all requests, the load grows by no more than that share.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::window::Window;

const WINDOW: Duration = Duration::from_secs(10);
/// Always allowed, so that an upstream with few requests has retries too.
const MIN_PER_SECOND: f64 = 3.0;

/// Budget of retries. Shared by all threads. Times are milliseconds of the upstream's own clock.
#[derive(Debug)]
pub struct Budget {
    share: f64,
    /// Good ones: requests. Bad ones: retries.
    window: Window,
    /// Held from check to count; retries are rare.
    withdrawing: Mutex<()>,
}

impl Budget {
    /// A budget of this share of requests, 0.2 for a fifth, plus three a second; none at all if the share is 0.
    pub fn new(share: f64) -> Self {
        Self { share, window: Window::new(WINDOW), withdrawing: Mutex::new(()) }
    }

    /// Counts the first attempt of a request.
    pub fn deposit(&self, now_ms: u64) {
        self.window.good(now_ms);
    }

    /// Whether a retry is allowed; if so, it is counted.
    pub fn withdraw(&self, now_ms: u64) -> bool {
        let _one_at_a_time = self.withdrawing.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = self.window.counts(now_ms);
        let allowed = self.share * counts.good as f64 + MIN_PER_SECOND * WINDOW.as_secs_f64();
        let may = self.share > 0.0 && counts.bad as f64 + 1.0 <= allowed;
        if may {
            self.window.bad(now_ms);
        }
        may
    }
}

#[cfg(test)]
mod tests;
