use super::*;

#[test]
fn a_name_is_kept_once() {
    let (one, again) = (known_name("minor_faults"), known_name(&String::from("minor_faults")));
    assert!(std::ptr::eq(one, again));
}
