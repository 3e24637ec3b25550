//! The principal type is [`Area`]: the part of a picture that has two scales.

use std::fmt::Write as _;

use crate::scale::Scale;

/// Two scales on an area; paths are those of SVG.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub x: Scale,
    pub y: Scale,
}

impl Area {
    /// Where a value is from left to right.
    pub fn x(&self, value: f64) -> f64 {
        self.left + self.x.at(value) * (self.right - self.left)
    }

    /// Where a value is from top to bottom.
    pub fn y(&self, value: f64) -> f64 {
        self.bottom - self.y.at(value) * (self.bottom - self.top)
    }

    /// The line through points; empty without any.
    pub fn line(&self, points: impl IntoIterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        for (x, y) in points {
            let command = if path.is_empty() { 'M' } else { 'L' };
            // Writing to a String does not fail.
            let _ = write!(path, "{command}{:.1} {:.1}", self.x(x), self.y(y));
        }
        path
    }

    /// A horizontal line at a value.
    pub fn row(&self, value: f64) -> String {
        format!("M{:.1} {:.1}H{:.1}", self.left, self.y(value), self.right)
    }

    /// A vertical line at a value.
    pub fn column(&self, value: f64) -> String {
        format!("M{:.1} {:.1}V{:.1}", self.x(value), self.top, self.bottom)
    }
}

/// A vertical interval, whose ends have strokes of `half` to either side.
pub fn interval_path(x: f64, low: f64, high: f64, half: f64) -> String {
    let (left, width) = (x - half, 2.0 * half);
    format!("M{x:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}h{width}M{left:.1} {high:.1}h{width}")
}
