//! The principal type is [`Refusal`]: why a request does not go to the application, and when it may.

use std::time::Duration;

use unladen_observability::Reason;

/// Why a request does not go to the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) why: Why,
    /// Its client may come again after this.
    pub(crate) after: Duration,
}

/// Why a request does not go to the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// As many wait as may.
    Full,
    /// It has waited for as long as it may.
    Timeout,
    /// There is overload, and younger ones wait.
    Overloaded,
}

impl Why {
    /// All there are, in the order of their counts.
    pub(super) const ALL: [Self; 3] = [Self::Full, Self::Timeout, Self::Overloaded];

    /// As it is answered.
    pub(crate) fn reason(self) -> Reason {
        match self {
            Self::Full => Reason::QueueFull,
            Self::Timeout => Reason::QueueTimeout,
            Self::Overloaded => Reason::Overloaded,
        }
    }
}
