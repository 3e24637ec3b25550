//! The principal type is [`Fault`]: why one thing could not be switched, and what to do about it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why one thing could not be switched, or not be put back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    #[error(transparent)]
    Command(#[from] CommandFault),
    #[error("cannot {what} {path}: {source}", path = path.display())]
    File { what: &'static str, path: PathBuf, source: io::Error },
    #[error("{path} is {is}: {instead}", path = path.display())]
    Unsafe { path: PathBuf, is: String, instead: &'static str },
    #[error("the patch {patch} does not apply in {dir}{advice}\n{output}", patch = patch.display(), dir = dir.display())]
    Patch { patch: PathBuf, dir: PathBuf, advice: &'static str, output: String },
    #[error("{path} was changed by someone else since: it is left as it is", path = path.display())]
    Foreign { path: PathBuf },
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandFault {
    #[error("cannot run `{command}`: {source}; is it installed, and its folder there?")]
    Start { command: String, source: io::Error },
    #[error("`{command}` {how}{}", shown(output))]
    Failed {
        command: String,
        /// "ended with status 1", "was killed by signal 9".
        how: String,
        output: String,
    },
    #[error("`{command}` was not done within {}: it was killed; raise `within` if it needs longer{}", humantime::format_duration(*within), shown(output))]
    Late { command: String, within: Duration, output: String },
    #[error("cancelled")]
    Cancelled,
}

impl Fault {
    /// Whether it is only a cancellation by [`Cancel`](unladen_load::Cancel).
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Command(CommandFault::Cancelled))
    }

    pub(crate) fn file(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { what, path, source }
    }
}

fn shown(output: &str) -> String {
    if output.is_empty() { "; it said nothing".into() } else { format!("; it said:\n{output}") }
}
