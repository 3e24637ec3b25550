//! The principal type is [`Span`]: a value and its 95 % interval. Ratios are written in percent, for all formats that
//! people read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::grouped;

/// From this many percent on, decimals are dropped.
const WHOLE_FROM: f64 = 100.0;

/// A value and its 95 % interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Span {
    /// The figure, in the unit of the field that holds it.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Span {
    /// A ratio minus 1.
    pub fn less_one(self) -> Self {
        self.mapped(|ratio| ratio - 1.0)
    }

    /// Each of the three by the same function.
    pub fn mapped(self, outer: impl Fn(f64) -> f64) -> Self {
        Self { value: outer(self.value), low: outer(self.low), high: outer(self.high) }
    }

    /// `None` if an end is too large for a number.
    pub fn finite(self) -> Option<Self> {
        (self.value.is_finite() && self.low.is_finite() && self.high.is_finite()).then_some(self)
    }

    /// The larger distance from the value to an end: the number after a ± that hides no asymmetry.
    pub fn margin(self) -> f64 {
        (self.high - self.value).max(self.value - self.low)
    }

    /// With the sign turned so that the value is positive.
    pub fn upward(self) -> Self {
        if self.value < 0.0 { Self { value: -self.value, low: -self.high, high: -self.low } } else { self }
    }

    /// A ratio as a change: `−62.0 % (−63.1 to −60.9)`.
    pub fn change_text(self) -> String {
        let Self { value, low, high } = self.less_one();
        format!("{} % ({} to {})", with_sign(value), with_sign(low), with_sign(high))
    }
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    grouped(percent, if percent.abs() >= WHOLE_FROM { 0 } else { 1 })
}

/// A share in percent, with its sign.
pub fn with_sign(share: f64) -> String {
    let text = percent(share);
    if share > 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) { format!("+{text}") } else { text }
}
