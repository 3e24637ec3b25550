//! The principal type is [`Application`]: the process that answers.

use std::path::PathBuf;

/// A process that takes requests, or the master of those that do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its id.
    pub pid: u32,
    /// Its executable.
    pub exe: PathBuf,
    /// Its command line.
    pub command: Vec<Vec<u8>>,
    /// What it is.
    pub kind: Kind,
}

/// What an application is written in, as far as that tells how it is profiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// PHP-FPM.
    PhpFpm,
    /// A Perl program that takes FastCGI.
    Perl,
    /// Something else.
    Other,
}
