//! The principal type is [`EvidenceSource`].

use serde::{Deserialize, Serialize};

/// A source of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceSource {
    /// System calls and their objects.
    Syscalls,
    /// Fork, exec, exit.
    Processes,
    /// Its compiler.
    Php,
    /// Its compiler.
    Perl,
    /// Its library.
    Sqlite,
    /// The page's answers: needs no privilege.
    Response,
    PhpSettings,
    /// First requests of fresh processes: needs a command that restarts them.
    Restarts,
    /// Functions on the stacks seen by a profiler.
    Profile,
}

/// A source that was not available.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    pub source: EvidenceSource,
    pub why: String,
    /// What it takes; empty if nothing helps.
    pub takes: String,
}
