//! The principal type is [`Weighed`].

/// What was said of one group, and what is true.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    /// The group, without its user.
    pub group: &'static str,
    /// CPU per request, ns.
    pub truth: f64,
    /// What `weigh` says.
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Whether it says that the group follows.
    pub follows: bool,
}

impl Weighed {
    /// How far off the estimate is, as a share of the truth.
    pub fn error(&self) -> f64 {
        self.value / self.truth - 1.0
    }

    /// Whether the interval holds the truth.
    pub fn covers(&self) -> bool {
        self.low <= self.truth && self.truth <= self.high
    }

    /// Half of the interval's width, as a share of the truth.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.truth
    }
}
