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
    /// Another run of the experiment is under way.
    #[error("another run of this experiment is under way (it holds {folder}): wait for its end", folder = folder.display())]
    Busy {
        /// The journal.
        folder: PathBuf,
    },
    /// What an earlier run left behind could not be put back.
    #[error("an earlier run was killed, and not all that it left could be put back:\n{0}")]
    LeftOver(PutBack),
    /// The folder of the journal belongs to someone else, who could have it say anything.
    #[error("{folder} is not a folder of yours alone: remove it if you did not make it", folder = folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
    },
    /// Nothing can be put back for an experiment that is not there.
    #[error("{file}: {why}; nothing of an experiment of this name was left behind", file = file.display())]
    NoExperiment {
        /// What was named.
        file: PathBuf,
        /// What the system said.
        why: String,
    },
    /// The journal cannot be written or read, so nothing is switched.
    #[error("cannot {what} {path}: {source}; without a journal beside the experiment nothing is switched", path = path.display())]
    Journal {
        /// Which action failed.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The journal is not as this version writes it.
    #[error("{path} cannot be understood: {source}; put back what it names by hand, then remove its folder", path = path.display())]
    JournalText {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// A knob cannot be switched at all; nothing was changed.
    #[error("the knob `{knob}` cannot be switched: {fault}")]
    Check {
        /// The knob.
        knob: String,
        /// Why.
        #[source]
        fault: Fault,
    },
    /// Switching a knob failed.
    #[error("the knob `{knob}` could not be switched {}: {fault}", if *on { "on" } else { "off" })]
    Knob {
        /// The knob.
        knob: String,
        /// To which side.
        on: bool,
        /// Why.
        #[source]
        fault: Fault,
    },
    /// A unit cannot be given variables; nothing was changed.
    #[error("the service `{service}` cannot be given variables: {fault}")]
    Service {
        /// The service.
        service: String,
        /// Why.
        #[source]
        fault: Fault,
    },
    /// A service could not be restarted.
    #[error("the service `{service}` could not be restarted: {fault}")]
    Restart {
        /// The service.
        service: String,
        /// Why.
        #[source]
        fault: Fault,
    },
    /// A service, or a knob, was not ready in time.
    #[error("{what} is not ready: {condition} did not come true within {}: {last}", humantime::format_duration(*within))]
    NotReady {
        /// Of what.
        what: String,
        /// The condition.
        condition: String,
        /// The time limit.
        within: Duration,
        /// What the last look said.
        last: String,
    },
    /// What a command has restarted was not answering as before in time.
    #[error(
        "{what} does not answer as before: {} after {command}, {request} still fails. If it needs longer, give it a \
         `ready` with a longer `within`. The last attempt: {last}", humantime::format_duration(*within)
    )]
    NotAnswering {
        /// What was restarted or switched.
        what: String,
        /// By which command, as a part of a sentence.
        command: String,
        /// The name of the request.
        request: String,
        /// The time limit.
        within: Duration,
        /// How the last request failed.
        last: String,
    },
    /// The cold command failed.
    #[error("the cold command failed: {0}")]
    Cold(#[source] CommandFault),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}
