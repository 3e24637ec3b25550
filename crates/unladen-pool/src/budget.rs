//! The principal type is [`Budget`]: how many requests may be sent again, as a share of all.
//!
//! Retries that are bounded for each request alone multiply the load of an upstream that fails: with one retry each,
//! twice the requests at the worst moment. Bounded by a share of all requests, the load grows by no more than that
//! share.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::window::Window;

/// Of this time's requests.
const WINDOW: Duration = Duration::from_secs(10);
/// Always allowed, so that an upstream that is seldom asked has retries too.
const MIN_PER_SECOND: f64 = 3.0;

/// How many requests may be sent again. Shared by all threads. Times are milliseconds of the upstream's own clock.
#[derive(Debug)]
pub struct Budget {
    share: f64,
    /// Good ones: requests. Bad ones: retries.
    window: Window,
    /// Between looking and counting; retries are rare.
    withdrawing: Mutex<()>,
}

impl Budget {
    /// This share of requests, 0.2 for a fifth, and three a second at any rate; none at all if the share is 0.
    pub fn new(share: f64) -> Self {
        Self { share, window: Window::new(WINDOW), withdrawing: Mutex::new(()) }
    }

    /// A request was sent for the first time.
    pub fn deposit(&self, now_ms: u64) {
        self.window.good(now_ms);
    }

    /// Whether one may be sent again; if so, it is counted.
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
