//! The principal type is [`SyscallSeen`]: what is only counted and timed.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::series::Series;

/// A kind of system call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SyscallSeen {
    pub group: usize,
    /// `newfstatat`
    pub name: String,
    /// `ENOENT`; `None` if it succeeded.
    pub error: Option<String>,
    pub count: Series,
    /// Total, ns.
    pub time_ns: Series,
}

/// Something that is only counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CounterSeen {
    pub group: usize,
    /// `php.class_lookups`
    pub name: String,
    pub count: Series,
}

/// Sleeps of one group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SleepSeen {
    pub group: usize,
    pub counted: Counted,
}
