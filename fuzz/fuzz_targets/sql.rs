//! SQL of any dialect, cut off or not: a fingerprint is bounded, can be shown, and is its own fingerprint.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unladen_trace::sql::{Dialect, MAX_FINGERPRINT, fingerprint};

fuzz_target!(|text: &[u8]| {
    for dialect in [Dialect::Postgres, Dialect::Mysql, Dialect::Sqlite] {
        let made = fingerprint(text, dialect);
        assert!(made.text.len() <= MAX_FINGERPRINT, "{made:?}");
        assert!(!made.text.chars().any(char::is_control), "{made:?}");
        let again = fingerprint(made.text.as_bytes(), dialect);
        assert_eq!(again.text, made.text, "{dialect:?}");
        assert_eq!(again.truncated, made.truncated, "{dialect:?}");
    }
});
