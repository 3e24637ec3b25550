//! The principal type is [`FarTimes`]: times of an agent's machine, for transfer.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use unladen_machine::MachineTimes;

/// [`MachineTimes`] of the host, in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarTimes {
    elapsed_ns: u64,
    available_ns: u64,
    busy_ns: u64,
    stolen_ns: u64,
    throttled_ns: u64,
    waited_ns: Option<u64>,
    frequency_hz: Option<(u64, u64)>,
}

// === impl FarTimes ===

impl From<&MachineTimes> for FarTimes {
    fn from(times: &MachineTimes) -> Self {
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Self {
            elapsed_ns: ns(times.elapsed),
            available_ns: ns(times.available),
            busy_ns: ns(times.busy),
            stolen_ns: ns(times.stolen),
            throttled_ns: ns(times.throttled),
            waited_ns: times.waited.map(ns),
            frequency_hz: times.frequency_hz,
        }
    }
}

impl From<FarTimes> for MachineTimes {
    fn from(times: FarTimes) -> Self {
        // A day at most, so that sums of a hostile agent's values do not overflow.
        let time = |ns: u64| Duration::from_nanos(ns.min(24 * 3_600_000_000_000));
        Self {
            elapsed: time(times.elapsed_ns),
            available: time(times.available_ns),
            busy: time(times.busy_ns),
            stolen: time(times.stolen_ns),
            throttled: time(times.throttled_ns),
            waited: times.waited_ns.map(time),
            frequency_hz: times.frequency_hz,
        }
    }
}
