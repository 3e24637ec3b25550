//! Retries: their [`Budget`], a share of all requests, and the pauses before them ([`delay`]).
//!
//! Retries bounded only for each request multiply the load of a failing upstream: with one retry each, twice the
//! requests at the worst moment. Bounded by a share of all requests, the load grows by no more than that share.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::settings::RetrySettings;
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

/// Pause before the `attempt`-th retry (from 1): random, up to an exponentially growing bound.
///
/// "Full jitter" of Marc Brooker's "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015): of the methods
/// compared there it spreads out clients that failed together with the fewest requests.
pub fn delay(attempt: u32, settings: &RetrySettings) -> Duration {
    bound(attempt, settings.backoff, settings.max_backoff).mul_f64(fastrand::f64())
}

/// Maximum pause before the `attempt`-th retry (from 1): doubled each time, up to `max`.
pub(crate) fn bound(attempt: u32, first: Duration, max: Duration) -> Duration {
    let factor = 1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
    first.checked_mul(factor).unwrap_or(max).min(max)
}

#[cfg(test)]
mod tests;
