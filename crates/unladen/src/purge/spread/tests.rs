use serde_json::json;

use super::*;

fn spread(document: serde_json::Value) -> Spread {
    serde_json::from_value(document).unwrap()
}

#[test]
fn where_a_purge_went_is_said() {
    let partly = spread(json!({
        "wait": "all", "confirmed": false, "took_ms": 1000.4, "published": true, "position": "1-2",
        "nodes": [
            {"node": "web-1", "confirmed": true, "after_ms": 2.91},
            {"node": "web-22", "confirmed": false, "why": "last heard of 0.8 s ago"},
        ],
    }));
    assert_eq!(partly.summary(), "1 of 2 nodes have confirmed within 1000 ms, wait = all");
    let lines =
        "  web-1   confirmed after 2.9 ms\n  web-22  not confirmed: last heard of 0.8 s ago\n  on the bus at 1-2";
    assert_eq!(partly.explained(), lines);
    let all = spread(json!({"wait": "quorum", "confirmed": true, "took_ms": 3.14, "published": true,
        "nodes": [{"node": "web-1", "confirmed": true}]}));
    assert_eq!(all.summary(), "1 of 1 nodes have confirmed, in 3.1 ms");
    let none = spread(json!({"wait": "none", "confirmed": true, "published": true}));
    assert_eq!((none.summary().as_str(), none.explained().as_str()), ("the bus has it; no node was waited for", ""));
    let cut = spread(json!({"wait": "all", "confirmed": false, "published": false, "why": "connection refused"}));
    assert_eq!(cut.summary(), "this node has forgotten it; the bus does not have it yet: connection refused");
}

#[test]
fn what_a_node_is_called_controls_no_terminal() {
    let spread = spread(json!({"wait": "all", "confirmed": false, "published": true, "nodes": [
        {"node": "a\u{1b}[2J", "confirmed": false, "why": "b\r\nc"}]}));
    assert!(!spread.explained().contains(['\u{1b}', '\r']));
    assert_eq!(spread.explained().lines().count(), 1);
}
