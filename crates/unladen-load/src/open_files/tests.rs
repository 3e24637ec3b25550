use super::*;

#[test]
fn what_cannot_be_open_at_once_is_told_before() {
    let error = verdict(2_000, 1_024).unwrap_err().to_string();
    assert!(error.contains("2000 connections at once") && error.contains("1024 files"), "{error}");
    assert!(error.contains("--concurrency 960"), "{error}");
    assert!(verdict(960, 1_024).is_ok() && suffice(1).is_ok());
    // It said that one was too many, and that one could be.
    let error = verdict(1, 12).unwrap_err().to_string();
    assert!(error.contains("12 files") && !error.contains("--concurrency"), "{error}");
}
