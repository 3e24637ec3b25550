use super::*;

/// An empty table, and the advice to measure longer.
#[test]
fn what_cannot_be_seen_is_told() {
    assert!(told(true, Some(Path::new(FIRST))).unwrap().why().contains("hidepid"));
    assert!(told(false, Some(Path::new("pid:[4026532281]"))).unwrap().why().contains("--pid=host"));
    assert_eq!(told(false, Some(Path::new(FIRST))), None);
    assert_eq!(told(false, None), None);
}
