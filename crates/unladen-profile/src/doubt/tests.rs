use super::*;
use crate::tests::testing::of_lines;

#[test]
fn names_that_are_addresses_or_end_in_numbers_are_doubted() {
    let noted = |stacks: &[(&str, u64)]| doubt(&of_lines("t", &[stacks])).unwrap_or_default();
    let addresses = noted(&[("main;401b97 f;401b98 f", 1), ("0x7f1c2a0b4c3d;main", 1)]);
    assert!(
        addresses.starts_with("3 of 4 functions have names like `401b97 f`, which begin with an address"),
        "{addresses}"
    );
    let numbers = noted(&[("main;foo 10", 1), ("main;bar 5", 1), ("main;baz 2.5", 1)]);
    assert!(numbers.starts_with("3 of 4 functions have names like `foo 10`, which end in a number"), "{numbers}");
    for stacks in [
        &[("main;deadbeef;facade;decade", 1)][..],
        &[("a;b;c;d;e;401b97;401b98;401b99", 1)],
        &[("run 1;run 2", 1)],
        &[("JS:*hot /srv/t.js:1:13;{closure:/srv/a.php(2)};123", 1)],
        &[],
    ] {
        assert_eq!(noted(stacks), "", "{stacks:?}");
    }
}
