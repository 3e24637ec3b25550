//! Files of records: whatever they hold, reading ends, a file that was cut off is read up to there, and errors name the
//! file.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unladen_load::{RequestRecord, RecordError, RecordReader};

fn read(bytes: &[u8]) -> (Vec<RequestRecord>, Option<RecordError>) {
    let mut records = Vec::new();
    match RecordReader::new(bytes, Path::new("load.records")) {
        Ok(reader) => {
            for record in reader {
                match record {
                    Ok(record) => records.push(record),
                    Err(error) => return (records, Some(error)),
                }
            }
            (records, None)
        }
        Err(error) => (records, Some(error)),
    }
}

fuzz_target!(|input: (u16, &[u8])| {
    let (cut, bytes) = input;
    // Few inputs would begin with the line and a head otherwise.
    let mut file = b"unladen.record/1\nH\x02{}".to_vec();
    let begin = file.len();
    file.extend_from_slice(bytes);
    let (records, error) = read(&file);
    assert!(records.len() <= bytes.len() / 5, "a record takes five bytes at least");
    if let Some(error) = error {
        assert!(error.to_string().contains("load.records"), "{error}");
    }
    let (of_beginning, _) = read(&file[..begin + usize::from(cut).min(bytes.len())]);
    assert!(records.starts_with(&of_beginning), "a file that was cut off holds the first of its records");
    let _ = read(bytes);
});
