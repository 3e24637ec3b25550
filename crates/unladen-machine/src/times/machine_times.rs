//! The principal type is [`MachineTimes`]: what the machine did between two readings.

use std::time::Duration;

/// The machine's times over a period. Periods can be added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MachineTimes {
    pub elapsed: Duration,
    /// `elapsed` times the number of processors.
    pub available: Duration,
    pub busy: Duration,
    /// Time that the hypervisor took from processors with work (steal).
    pub stolen: Duration,
    /// Time for which this process's control group was throttled by its CPU quota, summed over processors.
    pub throttled: Duration,
    /// Time in which some task was ready and had no processor; `None` if the kernel does not account for it.
    pub waited: Option<Duration>,
    /// The lowest and the highest mean frequency in any reading, in Hz; `None` if the kernel does not set it.
    pub frequency_hz: Option<(u64, u64)>,
}

impl MachineTimes {
    /// The share of the processors' time that the hypervisor took, 0 to 1: `st` in `top`.
    pub fn stolen_share(&self) -> f64 {
        share(self.stolen, self.available)
    }

    /// The share of the time *with work* that the hypervisor took, 0 to 1. Unlike [`stolen_share`](Self::stolen_share)
    /// it is the same whether the machine has much or little to do.
    pub fn stolen_of_wanted(&self) -> f64 {
        share(self.stolen, self.busy + self.stolen)
    }

    /// The share of the time in which some task had no processor, 0 to 1.
    pub fn pressure_share(&self) -> Option<f64> {
        self.waited.map(|waited| share(waited, self.elapsed))
    }

    /// The share of the time for which this process's control group was throttled, 0 to 1.
    pub fn throttled_share(&self) -> f64 {
        share(self.throttled, self.elapsed)
    }

    /// The sum of both periods.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let both = |a: Option<Duration>, b: Option<Duration>| match (a, b) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        let frequency_hz = match (self.frequency_hz, other.frequency_hz) {
            (Some((a_low, a_high)), Some((b_low, b_high))) => Some((a_low.min(b_low), a_high.max(b_high))),
            (a, b) => a.or(b),
        };
        Self {
            elapsed: self.elapsed + other.elapsed,
            available: self.available + other.available,
            busy: self.busy + other.busy,
            stolen: self.stolen + other.stolen,
            throttled: self.throttled + other.throttled,
            waited: both(self.waited, other.waited),
            frequency_hz,
        }
    }
}

/// Clamped: ticks are coarse, and can count more than a short period had.
fn share(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { (part.as_secs_f64() / whole.as_secs_f64()).min(1.0) }
}

#[cfg(test)]
mod tests;
