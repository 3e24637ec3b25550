//! Ctrl-C, SIGTERM and SIGHUP (a terminal or its connection is gone): the first signal asks for an orderly end. What
//! the second does depends on what there is to put in order.

use std::io;
use std::sync::Arc;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use unladen_load::{Cancel, LoadError};
use unladen_prove::SwitchError;
use unladen_report::Ended;

use crate::exit::{Code, Failure};
use crate::say::say;

/// Why the blocks of a run ended.
pub(crate) enum Stopped {
    Done,
    Interrupted,
    Failed(Failure),
}

impl Stopped {
    pub(crate) fn by(failure: Failure) -> Self {
        match failure {
            Failure::Switch(SwitchError::Cancelled) | Failure::Interrupted { .. } => Self::Interrupted,
            failure => Self::Failed(failure),
        }
    }

    /// How the run ended, and why it is not the complete one that was asked for. Fails with that if there are too few
    /// blocks to show.
    pub(crate) fn ended(self, is_enough: bool) -> Result<(Ended, Option<Failure>), Failure> {
        match self {
            Self::Done => Ok((Ended::Complete, None)),
            Self::Interrupted if is_enough => Ok((Ended::Interrupted, None)),
            Self::Interrupted => Err(Failure::Interrupted { shown: false }),
            Self::Failed(failure) if is_enough => Ok((Ended::Failed, Some(failure))),
            Self::Failed(failure) => Err(failure),
        }
    }
}

/// Lets writes beyond the file size limit (`ulimit -f`) fail like those on a full disk. The signal would end the
/// process otherwise, amid an experiment too, and leave the system switched.
pub(crate) fn survive_file_limit() {
    // Child processes are unaffected: a handler is not inherited.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Cancelled at the first signal; the second ends the process at once. Fails if the system refuses the handler or the
/// thread.
pub(crate) fn on_signal() -> Result<Cancel, LoadError> {
    watched(|| std::process::exit(Code::Interrupted as i32))
}

/// Cancelled at the first signal, while an experiment is switched. A second one does not end the process as it does
/// elsewhere: that would leave the system switched, and impatient users send it just while it is put back. It is
/// answered with what is going on. Fails like [`on_signal`].
pub(crate) fn on_signal_while_switched() -> Result<Cancel, LoadError> {
    watched(|| {
        say!("unladen: putting everything back; after kill -9, `unladen prove --restore FILE` does that");
    })
}

/// Cancelled at the first signal; `again` is called at each further one.
fn watched(again: fn()) -> Result<Cancel, LoadError> {
    let cancel = Cancel::new();
    watch(cancel.clone(), again).map_err(|source| LoadError::Thread { source })?;
    Ok(cancel)
}

fn watch(cancel: Cancel, again: fn()) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    if !is_hangup_ignored() {
        signals.add_signal(SIGHUP)?;
    }
    thread::Builder::new().name("signals".into()).spawn(move || {
        for _ in signals.forever() {
            if cancel.is_cancelled() {
                again();
            }
            cancel.cancel();
        }
    })?;
    Ok(())
}

/// Whether this process is to survive its terminal (nohup), by proc_pid_status(5).
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}
