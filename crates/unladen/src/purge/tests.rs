use serde_json::json;

use super::*;

#[test]
fn answers_are_told_apart() {
    let of = |answer: &str| {
        read("127.0.0.1:9901", answer.as_bytes()).map(|done| done.purged).map_err(|error| error.to_string())
    };
    assert_eq!(of("HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{\"purged\":3}\n"), Ok(3));
    let refused = of("HTTP/1.1 404 Not Found\r\n\r\n{\"error\":\"no site has the name \\\"a\\\"\"}\n");
    assert_eq!(refused, Err("no site has the name \"a\"".to_owned()));
    for other in [
        "",
        "\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\n\r\n<html>",
        "HTTP/1.1 200 OK\r\n\r\n{\"purged\":-1}",
        "HTTP/1.1 \u{e9}\r\n\r\n",
        "HTTP/1.1 421 Misdirected\r\n\r\nno\x1b[2J",
        "HTTP/1.1 202 Accepted\r\n\r\n{\"purged\":1,\"fleet\":{\"wait\":7}}",
    ] {
        let error = of(other).unwrap_err();
        assert!(error.contains("not an admin address") && !error.contains('\x1b'), "{other:?}: {error}");
    }
}

#[test]
fn who_answered_instead_is_named() {
    let nginx = read("x", b"HTTP/1.1 404 Not Found\r\nServer: nginx/1.22.1\r\n\r\n<html>").unwrap_err().to_string();
    assert!(nginx.ends_with("it is nginx/1.22.1 (HTTP/1.1 404 Not Found)"), "{nginx}");
    let ssh = read("x", b"SSH-2.0-OpenSSH_9.2\r\n").unwrap_err().to_string();
    assert!(ssh.ends_with("not a web server: `SSH-2.0-OpenSSH_9.2`"), "{ssh}");
}

#[test]
fn where_it_went_is_read() {
    let fleet = r#"{"purged":1,"fleet":{"wait":"all","confirmed":false,"written":"a/1","later":1,"nodes":[{"node":"a","confirmed_ms":1.5}]}}"#;
    let done = read("x", format!("HTTP/1.1 202 Accepted\r\n\r\n{fleet}\n").as_bytes()).unwrap();
    let spread = done.spread.unwrap();
    assert_eq!((done.purged, spread.confirmed, spread.nodes.len()), (1, false, 1));
    assert_eq!(read("x", b"HTTP/1.1 200 OK\r\n\r\n{\"purged\":1}").unwrap().spread, None);
}

#[test]
fn what_is_asked_for_is_said() {
    let wish = |what, site: Option<&str>, is_soft| {
        Wish { what, site: site.map(str::to_owned), is_soft, patience: Patience::default() }.document()
    };
    let patience = Patience { wait: Some(Wait::Quorum), longest: Some(Duration::from_millis(250)) };
    let waited = Wish { what: What::All, site: None, is_soft: false, patience }.document();
    assert_eq!(waited, json!({ "all": true, "wait": "quorum", "wait_for": 0.25 }));
    assert_eq!(wish(What::All, None, false), json!({ "all": true }));
    assert_eq!(
        wish(What::Named("tag", "a\"b".to_owned()), Some("site"), true),
        json!({ "tag": "a\"b", "site": "site", "soft": true })
    );
}

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
        "  web-22  not confirmed: its lease had not expired yet",
        "  web-3   left the fleet: its lease expired, and it revalidates what it stores until it has caught up",
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
    assert_eq!(cut.summary(), "this node has purged it; the bus does not have it yet: connection refused");
}

#[test]
fn what_a_node_is_called_controls_no_terminal() {
    let spread = spread(json!({"wait": "all", "confirmed": false, "written": "a/1\u{7}", "why": "b\r\nc", "nodes": [
        {"node": "a\u{1b}[2J", "confirmed_ms": null}]}));
    assert!(!spread.explained().contains(['\u{1b}', '\u{7}']) && !spread.summary().contains(['\r', '\n']));
    assert_eq!(spread.explained().lines().count(), 2);
}
