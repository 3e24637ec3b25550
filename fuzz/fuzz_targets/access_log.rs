//! Access logs: whatever they hold, what is taken are paths, the most frequent first, and errors name the file.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unladen_load::AccessLog;

fuzz_target!(|log: &[u8]| {
    match AccessLog::parse(log, Path::new("access.log")) {
        Ok(parsed) => {
            let mut last = u64::MAX;
            let mut sum = parsed.skipped();
            for (target, count) in parsed.entries() {
                assert!(target.starts_with('/') && !target.contains([' ', '\\', '\n']), "{target:?}");
                assert!((1..=last).contains(&count), "the most frequent first");
                last = count;
                sum += count;
            }
            let lines = log.split(|byte| *byte == b'\n').count() as u64;
            assert!(parsed.entries().next().is_some() && sum <= lines);
        }
        Err(error) => assert!(error.to_string().contains("access.log"), "{error}"),
    }
});
