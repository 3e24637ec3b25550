use super::*;

#[test]
fn what_is_inlined_ends_nothing() {
    assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
    // A browser hashes the text after it has turned ends of lines into one.
    assert!(!STYLE.contains('\r') && !SCRIPT.contains('\r'));
}

#[test]
fn the_hash_is_that_of_browsers() {
    assert_eq!(hash("alert('Hello, world.');"), "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
}
