use serde_json::json;

use super::*;

fn spread(document: serde_json::Value) -> Spread {
    serde_json::from_value(document).unwrap()
}

#[test]
fn where_a_purge_went_is_said() {
    let partly = spread(json!({
        "wait": "all", "confirmed": false, "took_ms": 1000.4, "written": "a/2", "why": null,
        "nodes": [
            {"node": "web-1", "confirmed_ms": 2.91, "left": false},
            {"node": "web-22", "confirmed_ms": null, "left": false},
            {"node": "web-3", "confirmed_ms": null, "left": true},
        ],
    }));
    assert_eq!(partly.summary(), "1 of 3 nodes have confirmed, 1 left the fleet, within 1000 ms, wait = all");
    let lines = [
        "  web-1   confirmed after 2.9 ms",
        "  web-22  not confirmed: its lease was not over yet",
        "  web-3   left the fleet: its lease was over, and it asks about what it stores until it has caught up",
        "  on the bus at a/2",
    ];
    assert_eq!(partly.explained(), lines.join("\n"));
    let all = spread(json!({"wait": "quorum", "confirmed": true, "took_ms": 3.12, "written": "a/1",
        "nodes": [{"node": "web-1", "confirmed_ms": 3.0}]}));
    assert_eq!(all.summary(), "1 of 1 nodes have confirmed, in 3.1 ms");
    let none = spread(json!({"wait": "none", "confirmed": true, "written": "a/1"}));
    assert_eq!(
        (none.summary().as_str(), none.explained().as_str()),
        ("the bus has it; no node was waited for", "  on the bus at a/1")
    );
    let cut = spread(json!({"wait": "all", "confirmed": false, "written": null, "why": "connection refused"}));
    assert_eq!(cut.summary(), "this node has forgotten it; the bus does not have it yet: connection refused");
}

#[test]
fn what_a_node_is_called_controls_no_terminal() {
    let spread = spread(json!({"wait": "all", "confirmed": false, "written": "a/1\u{7}", "why": "b\r\nc", "nodes": [
        {"node": "a\u{1b}[2J", "confirmed_ms": null}]}));
    assert!(!spread.explained().contains(['\u{1b}', '\u{7}']) && !spread.summary().contains(['\r', '\n']));
    assert_eq!(spread.explained().lines().count(), 2);
}
