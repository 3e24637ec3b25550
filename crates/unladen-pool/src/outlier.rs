//! The principal type is [`Outliers`]: takes a failing endpoint out for a while, as long as enough others are left.
//!
//! Like Envoy's outlier detection by consecutive failures, without its timer: an endpoint returns by the clock alone.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::endpoint::Endpoint;
use crate::settings::OutlierSettings;

/// Takes out endpoints of one upstream. Shared by all threads; a success is one atomic load as long as nothing failed.
#[derive(Debug)]
pub struct Outliers {
    settings: OutlierSettings,
    /// Held from counting the ejected ones to ejecting one more.
    ejecting: Mutex<()>,
}

impl Outliers {
    /// Creates it from settings.
    pub fn new(settings: OutlierSettings) -> Self {
        Self { settings, ejecting: Mutex::new(()) }
    }

    /// Reports that a request to this endpoint was answered.
    pub fn success(&self, endpoint: &Endpoint) {
        if endpoint.failures.load(Ordering::Relaxed) != 0 {
            endpoint.failures.store(0, Ordering::Relaxed);
        }
    }

    /// Reports that a request to this one of `all` failed, at this time (milliseconds of the upstream's own clock).
    /// Returns the duration if it is taken out.
    pub fn failure(&self, endpoint: &Endpoint, all: &[Arc<Endpoint>], now_ms: u64) -> Option<Duration> {
        if is_out(endpoint, now_ms) {
            // Sent before it was taken out.
            return None;
        }
        let failures = endpoint.failures.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if failures < self.settings.consecutive.max(1) {
            return None;
        }
        self.eject(endpoint, all, now_ms)
    }

    #[cold]
    fn eject(&self, endpoint: &Endpoint, all: &[Arc<Endpoint>], now_ms: u64) -> Option<Duration> {
        let _one_at_a_time = self.ejecting.lock().unwrap_or_else(PoisonError::into_inner);
        let out = all.iter().filter(|other| is_out(other, now_ms)).count();
        if is_out(endpoint, now_ms) || out >= self.most(all.len()) {
            return None;
        }
        let step = millis(self.settings.ejection).max(1);
        let until = endpoint.ejected_until.load(Ordering::Relaxed);
        // For each good period as long as one ejection, one of the earlier ejections is forgotten.
        let forgotten = u32::try_from((now_ms - until) / step).unwrap_or(u32::MAX);
        let times = endpoint.ejections.load(Ordering::Relaxed).saturating_sub(forgotten).saturating_add(1);
        let length = step.saturating_mul(u64::from(times)).min(millis(self.settings.max_ejection).max(step));
        endpoint.ejections.store(times, Ordering::Relaxed);
        endpoint.failures.store(0, Ordering::Relaxed);
        endpoint.ejected_until.store(now_ms.saturating_add(length), Ordering::Relaxed);
        Some(Duration::from_millis(length))
    }

    /// Maximum number of ejected endpoints: the share, but at least one if the share is above 0 (half of three is one,
    /// and a tenth of two is one, as in Envoy), and never all.
    fn most(&self, all: usize) -> usize {
        if self.settings.max_share <= 0.0 {
            return 0;
        }
        let share = (self.settings.max_share * all as f64) as usize;
        share.max(1).min(all.saturating_sub(1))
    }
}

fn is_out(endpoint: &Endpoint, now_ms: u64) -> bool {
    endpoint.ejected_until.load(Ordering::Relaxed) > now_ms
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
