//! What a bus brings: records of purges, positions, and what Valkey answers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_fleet::{LONGEST, Position, Record, resp_is_readable};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = Record::read(bytes) {
        let written = record.write();
        assert!(written.len() <= LONGEST);
        assert!(Record::read(written.as_bytes()).is_ok());
    }
    if let Some(position) = std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<Position>().ok()) {
        assert_eq!(position.to_string().as_bytes(), bytes);
    }
    let _ = resp_is_readable(bytes);
});
