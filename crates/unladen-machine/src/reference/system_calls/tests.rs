use super::*;

/// If this fails, the work has changed: its version has to change with it.
#[test]
fn a_piece_of_version_1_is_this_one() {
    assert_eq!(crate::reference::version::VERSION, 1);
    let mut calls = SystemCalls::new().unwrap();
    assert_eq!((calls.run().unwrap(), calls.run().unwrap()), (6_400, 6_400));
    assert_eq!((EMPTY, PAIRS, BYTES), (4_000, 1_200, 512));
}
