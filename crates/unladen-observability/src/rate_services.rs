//! The principal type is [`RateServiceState`]: how a service of limits answers, and [`RateServiceView`], who tells.

/// A service of limits that is asked.
pub trait RateServiceView: std::fmt::Debug + Send + Sync {
    /// How it answers.
    fn state(&self) -> RateServiceState;
}

/// How a service of limits answers. Numbers are of questions since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RateServiceState {
    /// Its URL, without secrets.
    pub service: String,
    /// Whether it has failed so often that it is only tried from time to time.
    pub is_open: bool,
    /// Questions that wait for an answer now.
    pub in_flight: u64,
    /// Answered: within the limits.
    pub within: u64,
    /// Answered: beyond.
    pub over: u64,
    /// No answer within the deadline.
    pub late: u64,
    /// No connection, no such service, an answer that says nothing.
    pub failed: u64,
    /// Not asked, as it has failed.
    pub open: u64,
    /// Not asked, as too many questions waited.
    pub busy: u64,
    /// What went wrong last, until it answers again.
    pub error: Option<String>,
}
