//! The principal type is [`Span`]: a value and its 95 % interval.

/// A value and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}
