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
    #[error("process {pid} runs {}, which is no PHP that can be asked: php-fpm, php-cgi and php are known", exe.display())]
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
