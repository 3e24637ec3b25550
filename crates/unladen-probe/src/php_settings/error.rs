//! The principal type is [`PhpSettingsError`].

use std::path::PathBuf;

use super::ask::AskError;

/// Why a PHP was not asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PhpSettingsError {
    /// There is no such process, or no more.
    #[error("process {pid} is gone")]
    Gone {
        /// Its id.
        pid: i32,
    },
    /// It belongs to somebody else.
    #[error("process {pid} belongs to another user: run as root, or as that user")]
    Denied {
        /// Its id.
        pid: i32,
    },
    /// It has another root directory.
    #[error("process {pid} is in a container: not asked")]
    Container {
        /// Its id.
        pid: i32,
    },
    /// Its executable is none of PHP's.
    #[error("process {pid} runs {}, which is no PHP that can be asked: php-fpm, php-cgi, php and Apache's module are known", exe.display())]
    NotPhp {
        /// Its id.
        pid: i32,
        /// What it runs.
        exe: PathBuf,
    },
    /// Its executable is not that file any more.
    #[error("{} is not what process {pid} was started from: it has been replaced since; restart the process", exe.display())]
    Replaced {
        /// Its id.
        pid: i32,
        /// What it was started from.
        exe: PathBuf,
    },
    /// Root alone would be told, and another user can change what would be run.
    #[error("process {pid} is root's, and others than root can change {} or a folder above it: not asked", exe.display())]
    NotRoots {
        /// Its id.
        pid: i32,
        /// What it was started from.
        exe: PathBuf,
    },
    /// The library of PHP within a server says nothing of its version.
    #[error("process {pid} has PHP within, and what its settings are could not be found out")]
    Unread {
        /// Its id.
        pid: i32,
    },
    /// PHP within a server is asked by that of the command line, which is not there.
    #[error(
        "process {pid} has PHP {version} within, which only the command line's PHP {version} can tell of: install it (Debian: php-cli)"
    )]
    NoCommandLine {
        /// Its id.
        pid: i32,
        /// The version that is wanted.
        version: String,
    },
    /// The command line's PHP is of another version.
    #[error("process {pid} has PHP {version} within, and {} is PHP {other}: not asked", exe.display())]
    OtherVersion {
        /// Its id.
        pid: i32,
        /// The version that is wanted.
        version: String,
        /// What would have been asked.
        exe: PathBuf,
        /// And its version.
        other: String,
    },
    /// PHP within a server has read other files than the command line's PHP was made to read.
    #[error("process {pid} has PHP within, and which settings files it has read is not known: {why}")]
    OtherFiles {
        /// Its id.
        pid: i32,
        /// What was seen.
        why: String,
    },
    /// Asking failed.
    #[error("{} -i: {source}", exe.display())]
    Ask {
        /// What was asked.
        exe: PathBuf,
        /// What went wrong.
        source: AskError,
    },
    /// What came is no phpinfo.
    #[error("{} -i says nothing of its settings: is it a PHP?", exe.display())]
    Silent {
        /// What was asked.
        exe: PathBuf,
    },
}
