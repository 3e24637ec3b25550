//! The principal type is [`Schedule`]: when requests should have arrived, by the arrivals alone.
//!
//! No tool tells when it planned its first request, so the start is fitted, by one rule for all: **the k-th request to
//! arrive is planned at start + k/rate, and the start is such that one request in a hundred arrives early.** A delay
//! that all requests have (starting up, the way through the kernel) so counts for no tool, and what remains is what
//! varies: a request that is late against the tool's own best. One in a hundred and not the very earliest, as a single
//! request that is sent too early would else make all others late. And of all requests, not of the first ones: a tool
//! that takes a while to come to its pace, and then makes up for it, is late at the beginning and not early ever after.
//!
//! A request that a tool leaves out makes all later ones late by the time between two: it is behind its schedule from
//! then on, unless it makes up for it.

/// One in so many requests is early.
const EARLY: usize = 100;

const SECOND: f64 = 1e9;

/// A constant rate from a start on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Schedule {
    /// ns after the first arrival.
    start: f64,
    first: u64,
    rate: f64,
}

impl Schedule {
    /// Of requests that arrived at these times, the earliest first.
    pub(crate) fn fit(arrived: &[u64], rate: f64) -> Option<Self> {
        let first = *arrived.first()?;
        let from_zero = Self { start: 0.0, first, rate };
        let mut offsets: Vec<f64> = (0..).zip(arrived).map(|(k, at)| from_zero.late(k, *at)).collect();
        offsets.sort_unstable_by(f64::total_cmp);
        Some(Self { start: offsets[offsets.len() / EARLY], ..from_zero })
    }

    /// How long after the k-th planned time this is, in ns; below 0 if before.
    pub(crate) fn late(&self, k: u64, at: u64) -> f64 {
        (at - self.first) as f64 - self.start - k as f64 * SECOND / self.rate
    }

    /// How late each is, the least first; 0 for the early ones.
    pub(crate) fn lags(&self, at: impl Iterator<Item = u64>) -> Vec<f64> {
        let mut lags: Vec<f64> = (0..).zip(at).map(|(k, at)| self.late(k, at).max(0.0)).collect();
        lags.sort_unstable_by(f64::total_cmp);
        lags
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::quantile;

    const US: u64 = 1_000;

    /// A request each ms, from a time on that nobody knows.
    fn punctual() -> Vec<u64> {
        (0..1_000).map(|k| 123_456_789 + k * 1_000 * US).collect()
    }

    fn lags(arrived: &[u64]) -> Vec<f64> {
        Schedule::fit(arrived, 1_000.0).unwrap().lags(arrived.iter().copied())
    }

    #[test]
    fn who_is_punctual_has_no_lag_whenever_it_started() {
        assert!(lags(&punctual()).iter().all(|lag| *lag == 0.0));
    }

    #[test]
    fn a_delay_of_some_is_their_lag() {
        let mut arrived = punctual();
        for at in arrived.iter_mut().skip(500).step_by(10) {
            *at += 300 * US;
        }
        let lags = lags(&arrived);
        assert_eq!(lags.iter().filter(|lag| **lag == 300_000.0).count(), 50);
        assert_eq!(quantile(&lags, 0.5), Some(0.0));
        assert_eq!(quantile(&lags, 0.99), Some(300_000.0));
    }

    #[test]
    fn one_early_request_makes_no_other_late() {
        let mut arrived = punctual();
        arrived[0] -= 50_000 * US;
        assert_eq!(quantile(&lags(&arrived), 1.0), Some(0.0));
    }

    #[test]
    fn a_slow_start_that_is_made_up_for_is_late_at_the_start_alone() {
        let mut arrived = punctual();
        // None in the first 100 ms; these all come then.
        let ready = arrived[100];
        for at in &mut arrived[..100] {
            *at = ready;
        }
        let lags = lags(&arrived);
        assert_eq!(lags.iter().filter(|lag| **lag > 0.0).count(), 100);
        assert_eq!(quantile(&lags, 1.0), Some(1e8));
    }

    #[test]
    fn who_leaves_one_out_is_behind_from_then_on() {
        let mut arrived = punctual();
        arrived.remove(500);
        assert_eq!(quantile(&lags(&arrived), 1.0), Some(1e6));
    }

    #[test]
    fn who_sends_too_slowly_falls_behind() {
        let arrived: Vec<u64> = (0..1_000).map(|k| k * 1_100 * US).collect();
        let median = quantile(&lags(&arrived), 0.5).unwrap();
        assert!((median / 1e6 - 49.0).abs() < 2.0, "{median}");
    }

    #[test]
    fn no_requests_have_no_schedule() {
        assert!(Schedule::fit(&[], 1_000.0).is_none());
        assert_eq!(quantile::<f64>(&[], 0.5), None);
    }
}
