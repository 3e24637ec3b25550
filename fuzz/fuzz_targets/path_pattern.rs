//! Patterns of paths, in the first line, and targets of requests, a line each; and answers of validators, for the time
//! in them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_validator::{PathPattern, is_settling};

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let pattern =
        lines.next().and_then(|line| std::str::from_utf8(line).ok()).and_then(|line| PathPattern::parse(line).ok());
    for line in lines.take(64) {
        // Long after any time that a label can tell without a zone, it says all.
        let _ = (is_settling(line, 0), is_settling(line, 1_700_000_000), is_settling(line, u64::MAX));
        let Some(pattern) = &pattern else { continue };
        let Some(parameters) = pattern.read(line) else { continue };
        assert!(line.starts_with(b"/"));
        assert_eq!(parameters.len(), pattern.names().len());
        // Each byte of a parameter stands in the target, as itself or behind a percent sign.
        assert!(parameters.iter().map(String::len).sum::<usize>() <= line.len());
        // The query is not looked at.
        let path = line.split(|byte| *byte == b'?').next().unwrap_or_default();
        assert_eq!(pattern.read(path).as_ref(), Some(&parameters));
    }
});
