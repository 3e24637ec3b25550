//! The principal type is [`SwitchError`]: why an experiment could not be switched.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::fault::{CommandFault, Fault};
use crate::put_back::PutBack;

/// Why an experiment could not be switched. After any of them, [`put_back`](crate::KnobController::put_back) is due.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SwitchError {
    #[error("another run of this experiment is under way (it holds {folder}): wait for its end", folder = folder.display())]
    Busy { folder: PathBuf },
    #[error("an earlier run was killed, and not all that it left could be put back:\n{0}")]
    LeftOver(PutBack),
    /// The folder of the journal belongs to another user, who could have put any commands into it.
    #[error("{folder} is not a folder of yours alone: remove it if you did not make it", folder = folder.display())]
    Foreign { folder: PathBuf },
    #[error("{file}: {why}; nothing of an experiment of this name was left behind", file = file.display())]
    NoExperiment { file: PathBuf, why: String },
    /// The journal cannot be written or read, so nothing is switched.
    #[error("cannot {what} {path}: {source}; without a journal beside the experiment nothing is switched", path = path.display())]
    Journal { what: &'static str, path: PathBuf, source: io::Error },
    #[error("{path} cannot be understood: {source}; put back what it names by hand, then remove its folder", path = path.display())]
    JournalText { path: PathBuf, source: serde_json::Error },
    /// A knob cannot be switched at all; nothing was changed.
    #[error("the knob `{knob}` cannot be switched: {fault}")]
    Check {
        knob: String,
        #[source]
        fault: Fault,
    },
    #[error("the knob `{knob}` could not be switched {}: {fault}", if *on { "on" } else { "off" })]
    Knob {
        knob: String,
        on: bool,
        #[source]
        fault: Fault,
    },
    /// A unit cannot be given variables; nothing was changed.
    #[error("the service `{service}` cannot be given variables: {fault}")]
    Service {
        service: String,
        #[source]
        fault: Fault,
    },
    #[error("the service `{service}` could not be restarted: {fault}")]
    Restart {
        service: String,
        #[source]
        fault: Fault,
    },
    #[error("{what} is not ready: {condition} did not come true within {}: {last}", humantime::format_duration(*within))]
    NotReady { what: String, condition: String, within: Duration, last: String },
    /// What a command has restarted did not answer as before in time.
    #[error(
        "{what} does not answer as before: {} after {command}, {request} still fails. If it needs longer, give it a \
         `ready` with a longer `within`. The last attempt: {last}", humantime::format_duration(*within)
    )]
    NotAnswering {
        what: String,
        /// The command, as a part of a sentence.
        command: String,
        request: String,
        within: Duration,
        last: String,
    },
    #[error("the cold command failed: {0}")]
    Cold(#[source] CommandFault),
    #[error("cancelled")]
    Cancelled,
}
