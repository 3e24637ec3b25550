//! The principal type is [`ProcessSeen`]: programs started, and source files compiled.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::event::Language;
use crate::series::Series;

/// Processes started by a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProcessSeen {
    /// Index of the group whose process started it.
    pub group: usize,
    /// The program; empty for a child that remained the same program.
    pub program: String,
    /// How often it was started.
    pub started: Series,
    /// CPU of those that have ended, ns, traced.
    pub cpu_ns: Series,
}

/// A source file that was compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompileSeen {
    /// Index of the group.
    pub group: usize,
    pub language: Language,
    /// Its path; empty where not known.
    pub path: String,
    /// How often, and how long (compilations inside it included, and not counted twice).
    pub counted: Counted,
}
