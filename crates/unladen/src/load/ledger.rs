//! The principal type is [`Ledger`]: takes what agents report of a load.

use std::time::Duration;

use unladen_load::{RecordSummary, RequestRecord};

use crate::exit::Failure;

pub(crate) trait Ledger {
    fn record(&mut self, record: &RequestRecord) -> Result<(), Failure>;

    fn summarise(&mut self, summary: &RecordSummary);

    /// Called several times a second, with the time since the start. Fails if a file cannot be written.
    fn look(&mut self, elapsed: Duration) -> Result<(), Failure>;
}
