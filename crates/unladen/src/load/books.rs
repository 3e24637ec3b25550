//! The principal type is [`Books`]: takes the records, from this host or from agents.

use std::time::{Duration, Instant};

use unladen_load::{RecordSummary, RequestRecord};

use crate::exit::Failure;
use crate::load::account::Account;
use crate::load::recorder::Recorder;

/// Interval at which records are handed to the system: as much is lost if the process is killed.
const STORE: Duration = Duration::from_secs(1);

pub(crate) struct Books<'a> {
    pub(crate) account: &'a mut Account,
    recorder: Option<&'a mut Recorder>,
    stored: Instant,
}

impl<'a> Books<'a> {
    pub(crate) fn new(account: &'a mut Account, recorder: Option<&'a mut Recorder>) -> Self {
        Self { account, recorder, stored: Instant::now() }
    }

    pub(crate) fn record(&mut self, record: &RequestRecord) -> Result<(), Failure> {
        self.account.record(record);
        self.recorder.as_mut().map_or(Ok(()), |recorder| recorder.record(record))
    }

    /// Adds requests whose records were lost: the files do not have them.
    pub(crate) fn summarise(&mut self, summary: &RecordSummary) {
        self.account.summarise(summary);
    }

    /// Hands the records to the system from time to time. Fails if a file cannot be written.
    pub(crate) fn store(&mut self) -> Result<(), Failure> {
        match self.recorder.as_mut().filter(|_| self.stored.elapsed() >= STORE) {
            Some(recorder) => {
                self.stored = Instant::now();
                recorder.store()
            }
            None => Ok(()),
        }
    }
}
