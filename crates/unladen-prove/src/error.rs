//! The principal type is [`SwitchError`]: why an experiment could not be switched.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why an experiment could not be switched. After any of them, [`put_back`](crate::KnobController::put_back) is due.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SwitchError {
    #[error("another run of this experiment is under way (it holds {folder}): wait for its end", folder = folder.display())]
    Busy { folder: PathBuf },
    #[error("an earlier run was killed, and not everything that it left could be put back:\n{0}")]
    LeftOver(PutBack),
    /// The folder of the journal belongs to another user, who could have put any commands into it.
    #[error("{folder} does not belong to you alone: remove it if you did not create it", folder = folder.display())]
    Foreign { folder: PathBuf },
    #[error("{file}: {why}; nothing of an experiment of this name was left behind", file = file.display())]
    NoExperiment { file: PathBuf, why: String },
    /// The journal cannot be written or read, so nothing is switched.
    #[error("cannot {what} {path}: {source}; nothing is switched without a journal next to the experiment", path = path.display())]
    Journal { what: &'static str, path: PathBuf, source: io::Error },
    #[error("{path} is not readable: {source}; put back by hand what it names, then remove its folder", path = path.display())]
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
    #[error("{what} is not ready: {condition} was not met within {}: {last}", humantime::format_duration(*within))]
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
    #[error("{path} was changed by something else since: it is left unchanged", path = path.display())]
    Foreign { path: PathBuf },
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandFault {
    #[error("cannot run `{command}`: {source}; is it installed, and does its folder exist?")]
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
    if output.is_empty() { "; it printed nothing".into() } else { format!("; it printed:\n{output}") }
}

/// What was put back, and what was not; displayed as a line for each.
#[derive(Debug, Default)]
#[must_use = "what could not be put back must be shown"]
pub struct PutBack {
    pub done: Vec<String>,
    pub failed: Vec<NotPutBack>,
    pub journal: Option<PathBuf>,
}

/// Something that could not be put back.
#[derive(Debug)]
pub struct NotPutBack {
    pub what: String,
    pub why: String,
    /// Command to type instead.
    pub by_hand: Option<String>,
}

// === impl PutBack ===

impl PutBack {
    /// Whether everything was put back.
    pub fn is_complete(&self) -> bool {
        self.failed.is_empty()
    }
}

impl fmt::Display for PutBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.done.as_slice() {
            [] if self.failed.is_empty() => return f.write_str("there was nothing to put back"),
            [] => f.write_str("nothing was put back")?,
            done => write!(f, "put back: {}", done.join(", "))?,
        }
        for NotPutBack { what, why, by_hand } in &self.failed {
            write!(f, "\nNOT put back: {what}: {why}")?;
            if let Some(by_hand) = by_hand {
                write!(f, "\n  by hand: {by_hand}")?;
            }
        }
        if let (Some(journal), false) = (&self.journal, self.failed.is_empty()) {
            let name = journal.file_name().unwrap_or_default().to_string_lossy();
            let file = journal.with_file_name(name.trim_start_matches('.').trim_end_matches(".undo"));
            write!(
                f,
                "\nThe originals are in {}: `unladen prove --restore {}` tries again; remove that folder when \
                 everything is restored",
                journal.display(),
                file.display()
            )?;
        }
        Ok(())
    }
}
