use super::*;

#[test]
fn a_kernel_may_let_anybody_in() {
    assert!(permitted(1_024, true).is_none() && permitted(80, false).is_none());
    assert!(permitted(1_024, false).is_some_and(|row| row.fix[0].ends_with("port_start=80")));
}
