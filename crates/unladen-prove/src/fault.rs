//! The principal type is [`Fault`]: why one thing could not be switched, and what to do about it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why one thing could not be switched, or not be put back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A command could not be run, failed, or took too long.
    #[error(transparent)]
    Command(#[from] CommandFault),
    /// A file cannot be read or written.
    #[error("cannot {what} {path}: {source}", path = path.display())]
    File {
        /// Which action failed.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that could not be put back as it is.
    #[error("{path} is {is}: {instead}", path = path.display())]
    Unsafe {
        /// The file.
        path: PathBuf,
        /// What it is.
        is: String,
        /// What to do in its place.
        instead: &'static str,
    },
    /// A patch does not apply.
    #[error("the patch {patch} does not apply in {dir}{advice}\n{output}", patch = patch.display(), dir = dir.display())]
    Patch {
        /// The file.
        patch: PathBuf,
        /// The folder.
        dir: PathBuf,
        /// What may be the reason.
        advice: &'static str,
        /// What git said.
        output: String,
    },
    /// A file was changed by someone else since.
    #[error("{path} was changed by someone else since: it is left as it is", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
}

/// Why a command did not do what it was to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandFault {
    /// It cannot be started.
    #[error("cannot run `{command}`: {source}; is it installed, and its folder there?")]
    Start {
        /// The command.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// It failed.
    #[error("`{command}` {how}{}", shown(output))]
    Failed {
        /// The command.
        command: String,
        /// "ended with status 1", "was killed by signal 9".
        how: String,
        /// The last lines of its output.
        output: String,
    },
    /// It took too long and was killed.
    #[error("`{command}` was not done within {}: it was killed; raise `within` if it needs longer{}", humantime::format_duration(*within), shown(output))]
    Late {
        /// The command.
        command: String,
        /// The time limit.
        within: Duration,
        /// The last lines of its output.
        output: String,
    },
    /// It was cancelled and killed.
    #[error("cancelled")]
    Cancelled,
}

impl Fault {
    /// Whether nothing is wrong, but someone threw the [`Cancel`](unladen_load::Cancel).
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Command(CommandFault::Cancelled))
    }

    /// For `map_err`: names what was done to which file.
    pub(crate) fn file(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { what, path, source }
    }
}

/// Output as a paragraph of its own, or nothing.
fn shown(output: &str) -> String {
    if output.is_empty() { "; it said nothing".into() } else { format!("; it said:\n{output}") }
}
