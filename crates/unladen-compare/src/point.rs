//! The principal type is [`Point`]: one run's figure on the scale of the comparison.

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) y: f64,
    /// Square of its standard error within the run.
    pub(crate) variance: f64,
}
