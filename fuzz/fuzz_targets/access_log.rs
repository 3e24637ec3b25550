//! Access logs: whatever they hold, what is taken are targets that a request can carry, the most frequent first; lines
//! are what is sent and what is passed over; and errors name the file.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unladen_load::{AccessLog, Request};

fuzz_target!(|log: &[u8]| {
    match AccessLog::parse(log, Path::new("access.log"), "shop.example") {
        Ok(parsed) => {
            let mut last = u64::MAX;
            let mut sum = 0;
            for (target, count) in parsed.entries() {
                let request = Request::get("http://shop.example/").and_then(|request| request.target(target));
                let request = request.and_then(|request| request.build()).expect("a request carries it");
                assert!(target.starts_with('/') && request.target() == target, "{target:?}");
                assert!((1..=last).contains(&count), "the most frequent first");
                last = count;
                sum += count;
            }
            assert!(sum > 0 && sum == parsed.sent());
            let passed_over: u64 = parsed.passed_over().map(|(_, count)| count).sum();
            assert_eq!(parsed.lines(), sum + passed_over);
            assert_eq!(parsed.lines(), log.split_inclusive(|byte| *byte == b'\n').count() as u64);
        }
        Err(error) => assert!(error.to_string().contains("access.log"), "{error}"),
    }
});
