//! The principal type is [`ProcessSeen`]: programs started, and source files compiled.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::event::Language;
use crate::series::Series;

/// Processes started by a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProcessSeen {
    /// The group of the starting process.
    pub group: usize,
    /// Empty for a child that kept its parent's program.
    pub program: String,
    pub started: Series,
    /// CPU of ended ones, ns, while traced.
    pub cpu_ns: Series,
}

/// A source file that was compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompileSeen {
    pub group: usize,
    pub language: Language,
    /// Empty if unknown.
    pub path: String,
    /// Time includes nested compilations, without counting them twice.
    pub counted: Counted,
}
