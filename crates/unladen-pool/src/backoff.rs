//! Pauses before retries: [`delay`].

use std::time::Duration;

use crate::settings::RetrySettings;

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
