//! The principal type is [`Counted`].

use serde::{Deserialize, Serialize};

use crate::series::Series;

/// How often something happened, in how many requests, and how long.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Counted {
    pub count: Series,
    /// Number of requests with it. The surplus of `count` happened again in the same request.
    pub requests: Series,
    /// Total, ns, including tracing.
    pub time_ns: Series,
}

impl Counted {
    /// Repetitions within a request.
    pub fn again(&self) -> Series {
        self.count.less(&self.requests)
    }

    /// Sum of several; a request with two of them counts twice.
    pub fn sum<'a>(counted: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        for one in counted {
            sum.count.absorb(&one.count);
            sum.requests.absorb(&one.requests);
            sum.time_ns.absorb(&one.time_ns);
        }
        sum
    }
}
