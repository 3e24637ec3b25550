use proptest::prelude::*;

use super::*;

#[test]
fn reads_lists_and_ranges() {
    let statuses: Statuses = "200-204, 304,404".parse().unwrap();
    assert_eq!(statuses.to_string(), "200-204,304,404");
    assert!(statuses.contains(204) && !statuses.contains(205) && statuses.contains(404));
}

#[test]
fn names_the_part_it_cannot_read() {
    for part in ["", "2xx", "299-200", "99", "600", "+200", "200-", "-200"] {
        let error = format!("204,{part}").parse::<Statuses>().unwrap_err();
        assert!(error.to_string().contains(&format!("`{part}`")), "{error}");
    }
}

proptest! {
    #[test]
    fn reads_back_what_it_writes(ranges in prop::collection::vec((100_u16..=599, 0_u16..100), 1..5)) {
        let statuses = Statuses(ranges.iter().map(|&(start, more)| start..=(start + more).min(599)).collect());
        prop_assert_eq!(&statuses.to_string().parse::<Statuses>().unwrap(), &statuses);
    }
}

fn holds(text: &str, pieces: &[&[u8]]) -> bool {
    let text = BodyText::new(text);
    let mut look = text.look();
    pieces.iter().for_each(|piece| look.through(piece));
    look.found
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
