//! The principal type is [`Answering`]: checks that what a command has restarted answers again.
//!
//! A reload is asynchronous: the command is done long before the serving processes have been replaced.

use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, DriverConfig, ErrorKind, LoadError, Request};

use crate::error::SwitchError;
use crate::ready::PAUSE;

#[derive(Clone, Debug)]
pub(crate) struct Answering {
    /// What was restarted or switched: "the service `php`".
    what: String,
    command: String,
    config: DriverConfig,
    /// Maximum time that it may fail.
    within: Duration,
}

/// Who reports an answer that waiting does not mend, such as a 404.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judge {
    /// The caller, who sends the next request and knows the arm: the wait ends without an error.
    Caller,
    Wait,
}

/// Required consecutive answers: one may come from a worker that is about to end.
const ANSWERS: u32 = 3;
/// Minimum time covered by these answers after each switch: a warm-up, which is not counted, follows.
pub(crate) const STEADY: Duration = Duration::from_millis(200);
/// The same where nothing else would notice a worker that ends late: a reload of PHP-FPM was seen to answer 502 0.6 s
/// after its signal.
pub(crate) const SURE: Duration = Duration::from_secs(1);
/// Minimum duration of an answer that waiting does not mend: an application may answer 500 while it starts.
const OTHERWISE: Duration = Duration::from_secs(2);

impl Answering {
    pub(crate) fn new(
        (what, command): (String, String),
        config: &DriverConfig,
        request: Request,
        within: Duration,
    ) -> Self {
        let mut config = DriverConfig { requests: vec![request], keep_alive: false, rate: None, ..config.clone() };
        config.concurrency = 1;
        Self { what, command, config, within }
    }

    pub(crate) fn after(self, what: String, command: String) -> Self {
        Self { what, command, ..self }
    }

    /// Waits until the request is answered as expected, several times in a row over the time `steady`.
    ///
    /// A request under way at the limit may take its own time limit: a slow page is no failure. Fails when it still
    /// fails at the limit, or is cancelled.
    pub(crate) fn wait(&self, steady: Duration, judge: Judge, cancel: &Cancel) -> Result<(), SwitchError> {
        let started = Instant::now();
        let (mut answers, mut since) = (0, started);
        let mut otherwise = None;
        loop {
            let begun = Instant::now();
            let pause = match self.look(cancel) {
                Ok(()) => {
                    otherwise = None;
                    if answers == 0 {
                        since = begun;
                    }
                    answers += 1;
                    let covered = since.elapsed();
                    // Two answers of a slow page cover more than enough.
                    if (answers >= ANSWERS && covered >= steady) || (answers > 1 && covered >= SURE) {
                        return Ok(());
                    }
                    STEADY / (ANSWERS - 1)
                }
                Err(_) if cancel.is_cancelled() => return Err(SwitchError::Cancelled),
                Err(error) => {
                    answers = 0;
                    let is_late = started.elapsed() >= self.within;
                    if is_passing(&error) {
                        otherwise = None;
                    } else if judge == Judge::Caller
                        && (is_late || otherwise.get_or_insert(begun).elapsed() >= OTHERWISE)
                    {
                        return Ok(());
                    }
                    if is_late {
                        return Err(self.not_answering(&error));
                    }
                    PAUSE
                }
            };
            if cancel.wait(pause) {
                return Err(SwitchError::Cancelled);
            }
        }
    }

    /// Sends one request, with a new driver each time: an old one's connection may lead to the process that has ended.
    fn look(&self, cancel: &Cancel) -> Result<(), LoadError> {
        Driver::start(self.config.clone())?.sample(0, cancel).map(drop)
    }

    fn not_answering(&self, last: &LoadError) -> SwitchError {
        let request = self.config.requests.first().map(|request| request.name().to_owned()).unwrap_or_default();
        let (what, command, within) = (self.what.clone(), self.command.clone(), self.within);
        SwitchError::NotAnswering { what, command, request, within, last: last.to_string() }
    }
}

pub(crate) fn is_passing(error: &LoadError) -> bool {
    match error {
        LoadError::UnexpectedStatus { sample, .. } => matches!(sample.status.as_u16(), 502..=504),
        error => matches!(ErrorKind::of(error), ErrorKind::Connect | ErrorKind::Closed | ErrorKind::Timeout),
    }
}

#[cfg(test)]
mod tests;
