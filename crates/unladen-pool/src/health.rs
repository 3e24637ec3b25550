//! The principal type is [`Check`]: checks an endpoint repeatedly, and sets [`Endpoint::healthy`].
//!
//! Each check opens its own connection: kept connections say nothing about whether new ones can be made, and checks
//! should not use up the application's.

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

const JITTER: f64 = 0.1;

impl Check {
    /// Checks until nothing else uses the endpoint, and sets [`Endpoint::healthy`]. Reports each change, with the
    /// reason if it became unhealthy, and each failure.
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
