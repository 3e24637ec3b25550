use super::*;

#[test]
fn what_was_said_is_one_line_of_bounded_length() {
    let problem: Problem = serde_json::from_value(serde_json::json!({
        "type": "urn:ietf:params:acme:error:connection",
        "detail": "192.0.2.1: Fetching http://a.org/: Connection refused\n\u{1b}[2J",
        "subproblems": [{"identifier": {"type": "dns", "value": "a.org"}, "detail": "no"}],
    }))
    .unwrap();
    assert_eq!(text(&problem), "192.0.2.1: Fetching http://a.org/: Connection refused  [2J (connection); a.org: no");
    assert_eq!(kind(&problem), "connection");
    assert_eq!(clean(&"ä".repeat(10_000)).chars().count(), LONGEST + 1);
}
