//! The principal type is [`WarmUp`]: requests before anything is measured.

use std::time::Duration;

use unladen_document::Answer;
use unladen_load::{Cancel, Driver, DriverConfig, End, Sample, Stop};

use crate::answered::compared_with_a_browsers;
use crate::exit::Failure;

/// A warm-up ends at the first of these: caches are then full, workers started, and the latency is known.
const TIME: Duration = Duration::from_secs(1);
const REQUESTS: u64 = 20;

pub(super) struct WarmUp {
    pub(super) samples: Vec<Sample>,
    pub(super) answers: Vec<Answer>,
    /// The median latency of the slowest URL.
    pub(super) latency: Duration,
}

impl WarmUp {
    /// Sends some requests to each URL, one after another. Fails if a request fails, or it is cancelled.
    pub(super) fn run(driver: &mut Driver, config: &DriverConfig, cancel: &Cancel) -> Result<Self, Failure> {
        let (mut samples, mut answers) = (Vec::new(), Vec::new());
        let mut latency = Duration::ZERO;
        for index in 0..config.requests.len() {
            let (sample, answer) = compared_with_a_browsers(driver, config, index, cancel)?;
            samples.push(sample);
            answers.push(answer);
            let warm_up =
                driver.run(index, Stop::after(TIME).or_requests(REQUESTS), cancel).map_err(|failed| failed.error)?;
            if warm_up.ended == End::Cancelled {
                return Err(Failure::Interrupted { shown: false });
            }
            latency = latency.max(median(warm_up.latencies_ns));
        }
        Ok(Self { samples, answers, latency })
    }
}

fn median(mut latencies_ns: Vec<u64>) -> Duration {
    latencies_ns.sort_unstable();
    Duration::from_nanos(latencies_ns.get(latencies_ns.len() / 2).copied().unwrap_or(0))
}
