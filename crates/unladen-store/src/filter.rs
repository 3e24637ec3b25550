//! The principal type is [`Filter`]: which runs are asked for.

use std::collections::BTreeMap;

use crate::position::Position;

/// Which runs are asked for: those that meet all that is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Of this command.
    pub verb: Option<String>,
    /// With this in their target, letter by letter.
    pub target: Option<String>,
    /// Of exactly this target.
    pub exact_target: Option<String>,
    pub labels: BTreeMap<String, String>,
    /// Of a revision that begins so.
    pub commit: Option<String>,
    /// Of this machine.
    pub host: Option<String>,
    /// Measured then or later: ns since 1970 in UTC.
    pub since_ns: Option<i64>,
    /// Measured before that: ns since 1970 in UTC.
    pub until_ns: Option<i64>,
    /// Measured at one of these times: ns since 1970 in UTC. None of them: at any time.
    pub times_ns: Vec<i64>,
    /// That come after this one in the list, newest first: the next page.
    pub before: Option<Position>,
    /// At most so many, and [`PAGE`](crate::PAGE) at most. [`Store::count`](crate::Store::count) counts them all.
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
