use super::*;

/// Names went into the answers of PURGE as the engine gave them, of any length and with line ends.
#[test]
fn what_is_no_name_of_a_node_is_refused_and_shown_on_one_line() {
    let position = Position::new("a", 1).unwrap();
    for good in ["a", "web-1.5f3a90c2", &"x".repeat(96)] {
        assert_eq!(Member::new(good, position.clone()).unwrap().node(), good);
    }
    for bad in ["", "web-9\nweb-2 has confirmed it after 1.0 ms", "\u{1b}[2J", "a b", &"x".repeat(97), "=mark"] {
        let error = Member::new(bad, position.clone()).unwrap_err().to_string();
        assert!(!error.contains(['\n', '\u{1b}']) && error.len() < 400, "{error:?}");
    }
    let long = Member::new(&"x".repeat(60_000), position).unwrap_err().to_string();
    assert!(long.len() < 400, "{long}");
}
