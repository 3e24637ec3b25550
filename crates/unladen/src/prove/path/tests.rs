use unladen_lockin::Design;

use super::*;

#[test]
fn each_combination_of_changes_would_be_followed() {
    let of = |design: Design, knobs: &[&str]| {
        let arms = design.arms(knobs);
        telling(&arms).map(|arm| arms[arm].on.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of(Design::Ab, &["a"]), [[false], [true]]);
    assert_eq!(of(Design::Ablate, &["a", "b"]), [[false, false], [true, true]]);
    assert_eq!(of(Design::Factorial, &["a", "b"]), [[false, false], [true, true]]);
    assert_eq!(of(Design::Each, &["a", "b"]), [[false, false], [true, false], [false, true]]);
}
