use super::*;

/// If this fails, the work has changed: its version has to change with it.
#[test]
fn a_piece_of_version_1_is_this_one() {
    assert_eq!(crate::reference::version::VERSION, 1);
    assert_eq!(Arithmetic::new().run(), 13_679_254_683_338_921_661);
    assert_eq!(STEPS, 240_000);
}
