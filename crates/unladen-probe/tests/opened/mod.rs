//! What needs privileges, in tests.

use std::io::Write;

use unladen_probe::TraceError;

/// What was opened; `None`, and a line that says why, where tests cannot have it.
pub(crate) fn opened<T>(what: Result<T, TraceError>) -> Option<T> {
    match what {
        Ok(opened) => Some(opened),
        Err(
            error @ (TraceError::NotAllowed | TraceError::NoBtf | TraceError::LockedDown | TraceError::PidNamespace),
        ) => {
            // A test that says nothing looks like one that passed.
            let _ = writeln!(std::io::stderr(), "SKIPPED: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
