//! Tests of [`lacking`]; those of [`Postgres`] ask a server.

use super::*;

/// Behind a pooler, nothing told that sessions were as the application's.
#[test]
fn sessions_that_lack_something_are_told_with_what_to_set() {
    assert_eq!(lacking(true, true, 800), None);
    let both = lacking(false, false, 800).unwrap();
    assert!(both.contains("neither read-only nor limited in time: set both on a separate role"), "{both}");
    assert!(
        both.contains("default_transaction_read_only = on") && both.contains("statement_timeout = '800ms'"),
        "{both}"
    );
    let writes = lacking(false, true, 800).unwrap();
    assert!(writes.contains("not read-only: set it") && !writes.contains("statement_timeout"), "{writes}");
    let endless = lacking(true, false, 800).unwrap();
    assert!(endless.contains("without a time limit: set it") && !endless.contains("read_only"), "{endless}");
}
