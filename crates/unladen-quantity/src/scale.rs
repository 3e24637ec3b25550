//! The principal type is [`Scale`]: a latency's position in a picture.

/// From this ratio of the ends on, the scale is logarithmic: otherwise all but the largest would be one dot.
const LOG_FROM: f64 = 20.0;

/// A range, linear or logarithmic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    is_log: bool,
}

impl Scale {
    /// Corrects ends that make no sense.
    pub fn new(low: f64, high: f64) -> Self {
        let low = if low.is_finite() { low.max(0.0) } else { 0.0 };
        let high = if high.is_finite() && high > low { high } else { low + 1.0 };
        Self { low, high, is_log: low > 0.0 && high / low >= LOG_FROM }
    }

    /// A logarithmic scale, from a low end above 0.
    pub fn logarithmic(low: f64, high: f64) -> Self {
        Self { is_log: true, ..Self::new(low, high) }
    }

    /// A scale around values, with a little room.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) =
            values.into_iter().fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let room = (high - low).max(0.0) * 0.02;
        if high / low >= LOG_FROM { Self::new(low * 0.95, high * 1.05) } else { Self::new(low - room, high + room) }
    }

    /// A scale from zero, unless that leaves most values in a corner.
    pub fn from_zero(values: impl IntoIterator<Item = f64>) -> Self {
        let around = Self::around(values);
        if around.is_log() { around } else { Self::new(0.0, around.value(1.0)) }
    }

    /// Whether equal ratios have equal distances.
    pub fn is_log(&self) -> bool {
        self.is_log
    }

    /// 0 at the low end, 1 at the high one, clamped.
    pub fn at(&self, value: f64) -> f64 {
        let at = if self.is_log {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        if at.is_finite() { at.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The value at a position.
    pub fn value(&self, at: f64) -> f64 {
        if self.is_log { self.low * (self.high / self.low).powf(at) } else { self.low + (self.high - self.low) * at }
    }

    /// Round numbers, no more than `most`.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2);
        if self.is_log {
            for digits in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]] {
                let ticks = self.decades(digits);
                if ticks.len() <= most {
                    return ticks;
                }
            }
            return self.decades(&[1.0]).into_iter().step_by(3).take(most).collect();
        }
        let span = self.high - self.low;
        let mut step = 10_f64.powf((span / most as f64).log10().floor());
        for factor in [2.0, 2.5, 2.0, 2.0] {
            if span / step <= most as f64 {
                break;
            }
            step *= factor;
        }
        let first = (self.low / step).ceil();
        (0..most).map(|i| (first + i as f64) * step).filter(|tick| *tick <= self.high).collect()
    }

    fn decades(&self, digits: &[f64]) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        (first..=last)
            .flat_map(|decade| digits.iter().map(move |digit| digit * 10_f64.powi(decade)))
            .filter(|tick| (self.low..=self.high).contains(tick))
            .collect()
    }
}

/// Shares labelled on a scale of [`odds`].
pub const PERCENTILES: [(f64, &str); 8] = [
    (0.0, "0"),
    (0.5, "50 %"),
    (0.9, "90 %"),
    (0.99, "99 %"),
    (0.999, "99.9 %"),
    (0.9999, "99.99 %"),
    (0.99999, "99.999 %"),
    (0.999999, "99.9999 %"),
];

/// On a logarithmic scale, each nine of a share takes as much room as the one before, as in HdrHistogram's plots.
pub fn odds(share: f64) -> f64 {
    1.0 / (1.0 - share).max(1e-9)
}

#[cfg(test)]
mod tests;
