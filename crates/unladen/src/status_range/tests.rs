use super::*;

#[test]
fn statuses_and_classes() {
    for text in ["100", "304", "599", "2xx", "5xx"] {
        assert_eq!(StatusRange::read(text).map(|range| range.to_string()).as_deref(), Some(text));
    }
    for text in ["", "xx", "0xx", "6xx", "22xx", "099", "600", "+20", "2XX", "20x", "2000", "é00"] {
        assert_eq!(StatusRange::read(text), None, "{text}");
    }
    assert!(StatusRange::Class(3).holds(304) && !StatusRange::Class(3).holds(400));
    assert!(StatusRange::One(304).holds(304) && !StatusRange::One(304).holds(200));
    assert!(StatusRange::One(404).is_of_errors() && !StatusRange::Class(3).is_of_errors());
}
