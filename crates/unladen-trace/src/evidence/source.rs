//! The principal type is [`EvidenceSource`]: what can be looked at.

use serde::{Deserialize, Serialize};

/// Something that can be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceSource {
    /// System calls and what they are about.
    Syscalls,
    /// Processes: fork, exec, exit.
    Processes,
    /// PHP's compiler.
    Php,
    /// Perl's compiler.
    Perl,
    /// SQLite's library.
    Sqlite,
    /// The page's answers: needs no privilege.
    Response,
    /// PHP's settings.
    PhpSettings,
    /// First requests of fresh processes: needs a command that restarts them.
    Restarts,
    /// Functions, on the stacks that a profiler saw.
    Profile,
}

/// Something that could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    pub source: EvidenceSource,
    pub why: String,
    /// What it takes; empty where nothing helps.
    pub takes: String,
}
