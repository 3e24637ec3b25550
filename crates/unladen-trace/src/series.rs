//! The numbers of evidence: the principal type is [`Series`], how often something happened in each phase. [`Interval`]
//! is an estimate as evidence stores it.

use serde::{Deserialize, Serialize};
use unladen_lockin::Estimate;

/// Counts by phase; trailing zeros take no room.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Series(Vec<u64>);

impl Series {
    /// Adds to a phase's count.
    pub fn add(&mut self, phase: usize, count: u64) {
        if count == 0 {
            return;
        }
        if self.0.len() <= phase {
            self.0.resize(phase + 1, 0);
        }
        // A file of evidence may contain any number.
        self.0[phase] = self.0[phase].saturating_add(count);
    }

    /// The count of one phase.
    pub fn in_phase(&self, phase: usize) -> u64 {
        self.0.get(phase).copied().unwrap_or(0)
    }

    /// The sum over all phases.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The sum of several, phase by phase.
    pub fn sum<'a>(series: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        for one in series {
            sum.absorb(one);
        }
        sum
    }

    /// Adds another, phase by phase.
    pub fn absorb(&mut self, other: &Self) {
        for (phase, count) in other.0.iter().enumerate() {
            self.add(phase, *count);
        }
    }

    /// Multiplies all counts.
    #[must_use]
    pub fn times(&self, factor: u64) -> Self {
        Self(self.0.iter().map(|count| count.saturating_mul(factor)).collect())
    }

    /// Whether all counts are 0.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|count| *count == 0)
    }

    /// The difference, phase by phase, at least 0.
    #[must_use]
    pub fn less(&self, other: &Self) -> Self {
        Self(self.0.iter().enumerate().map(|(phase, count)| count.saturating_sub(other.in_phase(phase))).collect())
    }
}

impl FromIterator<u64> for Series {
    fn from_iter<T: IntoIterator<Item = u64>>(counts: T) -> Self {
        Self(counts.into_iter().collect())
    }
}

/// How often something happened, in how many requests, and how long.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Counted {
    pub count: Series,
    /// Number of requests with it. The surplus of `count` happened again in the same request.
    pub requests: Series,
    /// Total, ns, including tracing.
    pub time_ns: Series,
}

impl Counted {
    /// Repetitions within a request.
    pub fn again(&self) -> Series {
        self.count.less(&self.requests)
    }

    /// Sum of several; a request with two of them counts twice.
    pub fn sum<'a>(counted: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        for one in counted {
            sum.count.absorb(&one.count);
            sum.requests.absorb(&one.requests);
            sum.time_ns.absorb(&one.time_ns);
        }
        sum
    }
}

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
