use std::path::Path;

use super::*;
use crate::exit::Code;
use crate::output::OutputError;

/// Ctrl-C, and a result that could not be written, ended with 130.
#[test]
fn a_result_that_could_not_be_written_was_an_interruption() {
    let code = |failure, is_written: bool, how: Ended| {
        let unwritten = || OutputError::new(Path::new("result.json"), std::io::ErrorKind::StorageFull.into());
        let written = if is_written { Ok(()) } else { Err(unwritten().into()) };
        ended(failure, written, how.into_str()).err().map(|failure| failure.code())
    };
    assert_eq!(code(None, false, Ended::Interrupted), Some(Code::CannotWrite));
    assert_eq!(code(None, true, Ended::Interrupted), Some(Code::Interrupted));
    assert_eq!(code(None, true, Ended::Complete), None);
    let failed = Failure::Gate(String::new());
    assert_eq!(code(Some(failed), false, Ended::Interrupted), Some(Code::Gate));
}
