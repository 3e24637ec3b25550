//! Figures and their intervals.

use serde::Serialize;

/// One run's figure, in the row's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    /// The figure.
    pub value: f64,
    /// Lower end of the run's own 95 % interval; null where the run has none.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// The largest effect that the run could not have told from nothing; null where it has none.
    pub noise_floor: Option<f64>,
}

/// A figure and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Span {
    /// The figure.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Span {
    /// Nothing, where an end is too large for a number.
    pub(crate) fn finite(self) -> Option<Self> {
        (self.value.is_finite() && self.low.is_finite() && self.high.is_finite()).then_some(self)
    }

    /// On another scale.
    pub(crate) fn mapped(self, outer: impl Fn(f64) -> f64) -> Self {
        Self { value: outer(self.value), low: outer(self.low), high: outer(self.high) }
    }
}
