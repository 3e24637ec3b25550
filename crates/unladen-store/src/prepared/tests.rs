//! Tests of [`Prepared`]. What each limit says is in `tests/suite/keeping.rs`.

use super::*;

/// A flame graph's tree is as deep as its stacks are.
#[test]
fn a_deep_document_is_kept() {
    let depth = 20_000;
    let document = format!("{{\"a\": {}1{}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(Prepared::new(&NewRun { document, ..NewRun::default() }).is_ok());
}

#[test]
fn sizes_are_those_before_and_after_compression() {
    let run = NewRun {
        document: format!("{{\"a\": \"{}\"}}", "x".repeat(10_000)),
        evidence: Some(Vec::new()),
        ..NewRun::default()
    };
    let prepared = Prepared::new(&run).unwrap();
    assert_eq!((prepared.document_bytes(), prepared.evidence_bytes()), (10_009, Some(0)));
    assert!((1..200).contains(&prepared.stored_bytes()), "{}", prepared.stored_bytes());
}

#[test]
fn spaces_around_a_document_do_no_harm() {
    assert!(Prepared::new(&NewRun { document: "\n {}\n".to_owned(), ..NewRun::default() }).is_ok());
}
