//! The principal type is [`Counted`]: how often, in how many requests, and how long.

use serde::{Deserialize, Serialize};

use crate::series::Series;

/// How often, in how many requests, and how long.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Counted {
    /// How often.
    pub count: Series,
    /// In how many requests. What is more than that in `count`, happened again in the same request.
    pub requests: Series,
    /// How long altogether, ns, tracing's own part included.
    pub time_ns: Series,
}

impl Counted {
    /// How often it happened again in a request in which it had happened.
    pub fn again(&self) -> Series {
        self.count.less(&self.requests)
    }

    /// Several together; a request in which two of them happened counts twice.
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
