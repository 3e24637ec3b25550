use super::*;

fn holds(text: &str, pieces: &[&[u8]]) -> bool {
    let text = BodyText::new(text);
    let mut look = text.look();
    pieces.iter().for_each(|piece| look.through(piece));
    look.found()
}

#[test]
fn a_text_is_found_across_pieces() {
    assert!(holds("</html>", &[b"<html>", b"</h", b"t", b"ml>"]));
    assert!(holds("aab", &[b"a", b"a", b"a", b"b"]));
    assert!(!holds("aab", &[b"a", b"b", b"a", b"b"]));
    assert!(holds("", &[]));
    assert!(!holds("x", &[]));
}

proptest::proptest! {
    #[test]
    fn pieces_hold_what_the_whole_holds(whole in "[ab]{0,24}", text in "[ab]{1,4}", cuts in proptest::collection::vec(0_usize..24, 0..4)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(whole.len())).collect();
        cuts.extend([0, whole.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &whole.as_bytes()[pair[0]..pair[1]]).collect();
        proptest::prop_assert_eq!(holds(&text, &pieces), whole.contains(&text));
    }
}
