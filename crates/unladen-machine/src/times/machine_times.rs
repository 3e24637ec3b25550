//! The principal type is [`MachineTimes`]: what the machine did between two readings.

use std::time::Duration;

/// What the machine did in a stretch of time. Stretches can be added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MachineTimes {
    /// How long it was.
    pub elapsed: Duration,
    /// How much time all processors together had: `elapsed` times their number.
    pub available: Duration,
    /// Time in which processors worked, all of them together.
    pub busy: Duration,
    /// Time that the hypervisor took from processors that had work (steal).
    pub stolen: Duration,
    /// Time for which this process's control group was held back by its CPU quota; the times of processors are summed.
    pub throttled: Duration,
    /// Time in which some task was ready to run and had no processor; `None` where the kernel does not account for it.
    pub waited: Option<Duration>,
    /// The lowest and the highest mean frequency of the processors that a reading saw, in Hz; `None` where the kernel
    /// does not set it.
    pub frequency_hz: Option<(u64, u64)>,
}

impl MachineTimes {
    /// The share of the processors' time that the hypervisor took, 0 to 1: the figure that `top` calls `st`.
    pub fn stolen_share(&self) -> f64 {
        share(self.stolen, self.available)
    }

    /// The share of the time *for which there was work* that the hypervisor took, 0 to 1. Unlike
    /// [`stolen_share`](Self::stolen_share) it is the same whether the machine has much or little to do.
    pub fn stolen_of_wanted(&self) -> f64 {
        share(self.stolen, self.busy + self.stolen)
    }

    /// The share of the time in which some task had no processor, 0 to 1.
    pub fn pressure_share(&self) -> Option<f64> {
        self.waited.map(|waited| share(waited, self.elapsed))
    }

    /// The share of the time for which this process's control group was held back, 0 to 1.
    pub fn throttled_share(&self) -> f64 {
        share(self.throttled, self.elapsed)
    }

    /// This stretch and another one together.
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

/// Ticks are coarse: what they count in a short stretch can be more than there was.
fn share(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 0.0 } else { (part.as_secs_f64() / whole.as_secs_f64()).min(1.0) }
}

#[cfg(test)]
mod tests;
