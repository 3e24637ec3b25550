use super::*;

#[test]
fn they_are_read_once() {
    let first = system_authorities().unwrap();
    assert!(first.len() > 10, "{}", first.len());
    assert!(Arc::ptr_eq(&first, &system_authorities().unwrap()));
}
