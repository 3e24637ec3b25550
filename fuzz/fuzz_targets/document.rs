//! Result documents, as `unladen runs import` takes them from anybody: what is refused says why; what is taken is
//! written and read as the same, and can be compared with itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_compare::{History, compare, trend};
use unladen_document::Document;

fuzz_target!(|bytes: &[u8]| {
    match Document::read(bytes) {
        Ok(document) => {
            let written = serde_json::to_vec(&document).expect("a document is written");
            assert_eq!(Document::read(&written).expect("what was written is read"), document);
            let mut history = History::new();
            for _ in 0..4 {
                history.push(&document);
            }
            let comparison = compare(&document, &document, &history);
            assert!(comparison.rows.iter().all(|row| !row.verdict.is_told()));
            assert!(trend(&history).series.iter().all(|series| series.changes.is_empty()));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
