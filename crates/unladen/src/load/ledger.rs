//! The principal type is [`Ledger`]: who takes what agents tell of a load.

use std::time::Duration;

use unladen_load::{RecordSummary, RequestRecord};

use crate::exit::Failure;

/// Takes what agents tell of a load.
pub(crate) trait Ledger {
    /// Takes what became of a request.
    ///
    /// # Errors
    /// When a file cannot be written.
    fn record(&mut self, record: &RequestRecord) -> Result<(), Failure>;

    /// Takes what requests came to whose records were lost.
    fn summarise(&mut self, summary: &RecordSummary);

    /// Called several times a second, so long after the start.
    ///
    /// # Errors
    /// When a file cannot be written.
    fn look(&mut self, elapsed: Duration) -> Result<(), Failure>;
}
