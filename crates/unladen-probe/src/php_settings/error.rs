//! The principal type is [`PhpSettingsError`].

use std::path::PathBuf;

use super::ask::AskError;

/// Why a PHP was not asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PhpSettingsError {
    #[error("process {pid} is gone")]
    Gone { pid: i32 },
    #[error("process {pid} belongs to another user: run as root, or as that user")]
    Denied { pid: i32 },
    #[error("process {pid} is in a container: not asked")]
    Container { pid: i32 },
    #[error("process {pid} runs {}, which is no PHP that can be asked: php-fpm, php-cgi, php and Apache's module are known", exe.display())]
    NotPhp { pid: i32, exe: PathBuf },
    #[error("{} is not what process {pid} was started from: it has been replaced since; restart the process", exe.display())]
    Replaced { pid: i32, exe: PathBuf },
    /// Only root would get an answer, and another user can replace the program that would be run.
    #[error("process {pid} is root's, and others than root can change {} or a folder above it: not asked", exe.display())]
    NotRoots { pid: i32, exe: PathBuf },
    /// The library of PHP within the server does not name its version.
    #[error("process {pid} has PHP within, and what its settings are could not be found out")]
    Unread { pid: i32 },
    /// PHP within a server is asked through the command line's, which is not installed.
    #[error(
        "process {pid} has PHP {version} within, which only the command line's PHP {version} can tell of: install it (Debian: php-cli)"
    )]
    NoCommandLine { pid: i32, version: String },
    #[error("process {pid} has PHP {version} within, and {} is PHP {other}: not asked", exe.display())]
    OtherVersion { pid: i32, version: String, exe: PathBuf, other: String },
    /// PHP within the server has read other files than the command line's was made to read.
    #[error("process {pid} has PHP within, and which settings files it has read is not known: {why}")]
    OtherFiles { pid: i32, why: String },
    #[error("{} -i: {source}", exe.display())]
    Ask { exe: PathBuf, source: AskError },
    #[error("{} -i says nothing of its settings: is it a PHP?", exe.display())]
    Silent { exe: PathBuf },
}
