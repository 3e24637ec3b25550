//! The principal type is [`Refusal`]: why a request does not go to the application, and when it may.

use std::time::Duration;

use unladen_observability::Reason;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) why: Why,
    pub(crate) after: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Full,
    Timeout,
    /// There is overload, and younger ones wait.
    Overloaded,
}

impl Why {
    /// In the order of their counts.
    pub(super) const ALL: [Self; 3] = [Self::Full, Self::Timeout, Self::Overloaded];

    pub(crate) fn reason(self) -> Reason {
        match self {
            Self::Full => Reason::QueueFull,
            Self::Timeout => Reason::QueueTimeout,
            Self::Overloaded => Reason::Overloaded,
        }
    }
}
