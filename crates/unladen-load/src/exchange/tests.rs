use super::*;

#[test]
fn any_difference_is_a_change() {
    let first = Fingerprint { status: 200, length: 3, digest: Digest(7) };
    assert_eq!(first.verdict(&first), Verdict::Same);
    assert_eq!(Fingerprint { status: 204, ..first }.verdict(&first), Verdict::Changed);
    assert_eq!(Fingerprint { length: 4, ..first }.verdict(&first), Verdict::Changed);
    assert_eq!(Fingerprint { digest: Digest(8), ..first }.verdict(&first), Verdict::Changed);
}

#[test]
fn bodies_have_their_own_digest() {
    assert_ne!(Digest::of(b"page"), Digest::of(b"Page"));
}
