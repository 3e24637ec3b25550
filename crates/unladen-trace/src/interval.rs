//! The principal type is [`Interval`]: an estimate as evidence stores it.

use serde::{Deserialize, Serialize};
use unladen_lockin::Estimate;

/// A value and its 95 % interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// The quotient, as if both were independent: relative widths add in quadrature. `None` if the divisor's interval
    /// reaches 0.
    pub fn over(self, divisor: Self) -> Option<Self> {
        if divisor.low <= 0.0 {
            return None;
        }
        let value = self.value / divisor.value;
        let below = ((self.value - self.low) / divisor.value).hypot(value * (divisor.high / divisor.value - 1.0));
        let above = ((self.high - self.value) / divisor.value).hypot(value * (1.0 - divisor.low / divisor.value));
        Some(Self { value, low: value - below, high: value + above })
    }

    /// In another unit.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let (a, b) = (self.low * factor, self.high * factor);
        Self { value: self.value * factor, low: a.min(b), high: a.max(b) }
    }

    /// The interval for asking what is likely rather than certain: shrunk to its value if the distance from 0 to the
    /// value exceeds half of that to its lower end (about one standard error); otherwise unchanged.
    #[must_use]
    pub fn likely(self) -> Self {
        let is_likely = 2.0 * self.value > self.value - self.low;
        if is_likely { Self { value: self.value, low: self.value, high: self.value } } else { self }
    }

    /// The number after a ±: the larger distance to an end.
    pub fn margin(self) -> f64 {
        (self.high - self.value).max(self.value - self.low)
    }
}

impl From<Estimate> for Interval {
    fn from(estimate: Estimate) -> Self {
        Self { value: estimate.value, low: estimate.low, high: estimate.high }
    }
}
