//! Figures and their intervals.

use serde::Serialize;

/// One run's figure, in the row's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub noise_floor: Option<f64>,
}

/// A figure and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Span {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Span {
    /// `None` if an end is too large for a number.
    pub(crate) fn finite(self) -> Option<Self> {
        (self.value.is_finite() && self.low.is_finite() && self.high.is_finite()).then_some(self)
    }

    pub(crate) fn mapped(self, outer: impl Fn(f64) -> f64) -> Self {
        Self { value: outer(self.value), low: outer(self.low), high: outer(self.high) }
    }
}
