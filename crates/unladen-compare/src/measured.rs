//! The principal type is [`Measured`]: one figure of one run.

use std::sync::LazyLock;

use unladen_lockin::t_critical;

use crate::between::Point;
use crate::row::Figure;

/// Degrees of freedom of an interval with an unknown number of blocks.
pub(crate) const MANY: f64 = 64.0;

/// Standard errors to either side of a two-sided 95 % interval, by degrees of freedom.
static MARGINS: LazyLock<Vec<f64>> =
    LazyLock::new(|| (1..=MANY as u32).map(|n| t_critical(0.05, f64::from(n))).collect());

/// Student's t for 95 %, from a table.
pub(crate) fn margin(degrees: f64) -> f64 {
    let index = (degrees.clamp(1.0, MANY) as usize).saturating_sub(1);
    MARGINS.get(index).copied().unwrap_or(1.96)
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    pub(crate) figure: Figure,
    pub(crate) degrees: f64,
    /// Sampled by the kernel, not counted.
    pub(crate) approximate: bool,
    /// Records were lost: the figure is too low.
    pub(crate) invalid: bool,
    /// Whether it has a row of its own.
    pub(crate) shown: bool,
    /// Whether its URL is judged by it first.
    pub(crate) headline: bool,
}

impl Measured {
    pub(crate) fn spanned(value: f64, low: f64, high: f64) -> Self {
        Self { figure: Figure { low: Some(low), high: Some(high), ..Self::plain(value).figure }, ..Self::plain(value) }
    }

    pub(crate) fn plain(value: f64) -> Self {
        Self {
            figure: Figure { value, low: None, high: None, noise_floor: None },
            degrees: MANY,
            approximate: false,
            invalid: false,
            shown: true,
            headline: false,
        }
    }

    /// Nothing was counted but a similar run counted something: at most that run's noise floor.
    pub(crate) fn absent(noise_floor: f64) -> Self {
        let absent = Self::spanned(0.0, -noise_floor, noise_floor);
        Self { figure: Figure { noise_floor: Some(noise_floor), ..absent.figure }, shown: false, ..absent }
    }

    pub(crate) fn is_finite(&self) -> bool {
        let Figure { value, low, high, noise_floor } = self.figure;
        [Some(value), low, high, noise_floor].into_iter().flatten().all(f64::is_finite)
    }

    /// Whether it is certainly above zero, so that it has a logarithm.
    pub(crate) fn is_positive(&self) -> bool {
        self.figure.value > 0.0 && self.figure.low.unwrap_or(self.figure.value) > 0.0
    }

    pub(crate) fn point(&self, is_ratio: bool) -> Option<Point> {
        if is_ratio && !self.is_positive() {
            return None;
        }
        let inner = |value: f64| if is_ratio { value.ln() } else { value };
        let Figure { value, low, high, .. } = self.figure;
        let error = match (low, high) {
            (Some(low), Some(high)) => (inner(high) - inner(low)).max(0.0) / 2.0 / margin(self.degrees),
            _ => 0.0,
        };
        Some(Point { y: inner(value), variance: error * error }).filter(|point| (point.y + point.variance).is_finite())
    }
}
