//! The principal type is [`Picture`]: what is drawn, and its measures in pixels.

use super::amount::{Amounts, digits};
use super::compared::Compared;
use super::style::FlameStyle;
use super::tree::Tree;
use crate::frame::Frames;

pub(super) struct Picture<'a> {
    pub(super) frames: &'a Frames,
    pub(super) tree: &'a Tree,
    pub(super) amounts: &'a Amounts,
    pub(super) style: &'a FlameStyle,
    pub(super) compared: Option<&'a Compared<'a>>,
}

/// Height of the head with titles, legend and details; in pixels, like all here.
pub(super) const HEAD: f64 = 126.0;
/// From one level to the next.
pub(super) const LEVEL: f64 = 18.0;
/// Left and right.
pub(super) const MARGIN: f64 = 12.0;
/// A column of the fixed-width font at 12 pixels; the script measures it.
pub(super) const COLUMN: f64 = 7.23;
/// Between a box and its name.
pub(super) const PADDING: f64 = 4.0;

/// `12.3`, as the script reads it back.
pub(super) fn number(value: f64) -> String {
    const WHOLE: f64 = 1e15;
    if value.fract() == 0.0 && value.abs() < WHOLE {
        format!("{value:.0}")
    } else if value.is_finite() {
        format!("{value:.5e}")
    } else {
        digits(0.0)
    }
}
