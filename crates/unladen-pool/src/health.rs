//! The principal type is [`Check`]: asks an endpoint how it is, again and again, and says so in [`Endpoint::healthy`].
//!
//! Each check takes a connection of its own: that connections kept from earlier still work says nothing of whether new
//! ones can be made, and the checks are not to take the application's.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::endpoint::Endpoint;

mod check;
mod count;
mod unhealthy;

pub use check::Check;
pub use unhealthy::Unhealthy;

use count::Count;

/// A check comes up to this share of its interval earlier or later.
const JITTER: f64 = 0.1;

impl Check {
    /// Asks until the endpoint is no longer used by anyone else, and keeps [`Endpoint::healthy`]. Each change is told,
    /// with its reason if it is to the worse; and each failure, whether it changes anything or not.
    pub async fn run(
        self,
        endpoint: Arc<Endpoint>,
        mut on_change: impl FnMut(&Endpoint, Result<(), &Unhealthy>),
        on_failure: impl Fn(&Endpoint, &Unhealthy),
    ) {
        let weak = Arc::downgrade(&endpoint);
        let mut count = Count::new(&self.settings, endpoint.healthy.load(Ordering::Relaxed));
        drop(endpoint);
        // Not all endpoints of all upstreams at the same moment.
        let mut wait = self.settings.every.mul_f64(JITTER * fastrand::f64());
        loop {
            tokio::time::sleep(wait).await;
            let Some(endpoint) = weak.upgrade() else { return };
            let answer = self.ask(&endpoint).await;
            if let Err(error) = &answer {
                on_failure(&endpoint, error);
            }
            if let Some(healthy) = count.take(answer.is_ok()) {
                endpoint.healthy.store(healthy, Ordering::Relaxed);
                on_change(&endpoint, answer.as_ref().copied());
            }
            wait = jittered(self.settings.every);
        }
    }
}

fn jittered(every: Duration) -> Duration {
    every.mul_f64(1.0 + JITTER * (2.0 * fastrand::f64() - 1.0))
}

#[cfg(test)]
mod tests;
