//! The principal type is [`Filter`]: selects runs.

use std::collections::BTreeMap;

use crate::position::Position;

/// Selects the runs that meet all conditions given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    pub verb: Option<String>,
    /// Part of the target, case-sensitive.
    pub target: Option<String>,
    pub exact_target: Option<String>,
    pub labels: BTreeMap<String, String>,
    /// Start of the revision.
    pub commit: Option<String>,
    pub host: Option<String>,
    /// First time: ns since 1970 in UTC.
    pub since_ns: Option<i64>,
    /// Time after the last: ns since 1970 in UTC.
    pub until_ns: Option<i64>,
    /// Exact times: ns since 1970 in UTC. Empty for any time.
    pub times_ns: Vec<i64>,
    /// Only runs after this one in the list, newest first: the next page.
    pub before: Option<Position>,
    /// Maximum number of runs, at most [`PAGE`](crate::PAGE). [`Store::count`](crate::Store::count) counts them all.
    pub limit: u32,
}

impl Default for Filter {
    /// The newest 100 of all runs.
    fn default() -> Self {
        Self {
            verb: None,
            target: None,
            exact_target: None,
            labels: BTreeMap::new(),
            commit: None,
            host: None,
            since_ns: None,
            until_ns: None,
            times_ns: Vec::new(),
            before: None,
            limit: 100,
        }
    }
}
