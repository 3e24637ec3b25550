//! The principal type is [`SyscallSeen`]: what is only counted and timed.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::series::Series;

/// A kind of system call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SyscallSeen {
    /// Index of the group.
    pub group: usize,
    /// `newfstatat`
    pub name: String,
    /// `ENOENT`; none if it succeeded.
    pub error: Option<String>,
    /// How often.
    pub count: Series,
    /// How long altogether, ns.
    pub time_ns: Series,
}

/// Something that is only counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CounterSeen {
    /// Index of the group.
    pub group: usize,
    /// `php.class_lookups`
    pub name: String,
    /// How often.
    pub count: Series,
}

/// Sleeps of one group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SleepSeen {
    /// Index of the group.
    pub group: usize,
    /// How often, how long.
    pub counted: Counted,
}
