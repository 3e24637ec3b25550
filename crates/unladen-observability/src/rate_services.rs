//! The principal type is [`RateServiceState`]: how a rate limit service answers; [`RateServiceView`] provides it.

/// A rate limit service that is in use.
pub trait RateServiceView: std::fmt::Debug + Send + Sync {
    fn state(&self) -> RateServiceState;
}

/// State of a rate limit service, with counts of its calls since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RateServiceState {
    /// Its URL, without secrets.
    pub service: String,
    /// Whether the circuit is open: it has failed so often that it is only tried now and then.
    pub is_open: bool,
    pub in_flight: u64,
    pub within: u64,
    pub over: u64,
    pub late: u64,
    /// No connection, no such service, or an unusable answer.
    pub failed: u64,
    /// Not called since the circuit is open.
    pub open: u64,
    /// Not called since too many calls waited.
    pub busy: u64,
    pub error: Option<String>,
}
