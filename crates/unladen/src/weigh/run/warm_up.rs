//! The principal type is [`WarmUp`]: requests before anything is measured.

use std::time::Duration;

use unladen_load::{Cancel, Driver, End, Sample, Stop};

use crate::exit::Failure;

/// A warm-up lasts until one of these is reached: caches are filled, workers are started, and the latency is known.
const TIME: Duration = Duration::from_secs(1);
const REQUESTS: u64 = 20;

/// What requests before anything is measured have shown.
pub(super) struct WarmUp {
    /// The first answer of each URL.
    pub(super) samples: Vec<Sample>,
    /// The median latency of the slowest URL.
    pub(super) latency: Duration,
}

// === impl WarmUp ===

impl WarmUp {
    /// Sends some to each of so many URLs, one after another.
    ///
    /// # Errors
    /// If a request fails, or it is cancelled.
    pub(super) fn run(driver: &mut Driver, urls: usize, cancel: &Cancel) -> Result<Self, Failure> {
        let mut samples = Vec::with_capacity(urls);
        let mut latency = Duration::ZERO;
        for index in 0..urls {
            samples.push(driver.sample(index, cancel)?);
            let warm_up =
                driver.run(index, Stop::after(TIME).or_requests(REQUESTS), cancel).map_err(|failed| failed.error)?;
            if warm_up.ended == End::Cancelled {
                return Err(Failure::Interrupted { shown: false });
            }
            latency = latency.max(median(warm_up.latencies_ns));
        }
        Ok(Self { samples, latency })
    }
}

fn median(mut latencies_ns: Vec<u64>) -> Duration {
    latencies_ns.sort_unstable();
    Duration::from_nanos(latencies_ns.get(latencies_ns.len() / 2).copied().unwrap_or(0))
}
