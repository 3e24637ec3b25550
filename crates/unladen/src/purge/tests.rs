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
        assert!(error.contains("no admin address") && !error.contains('\x1b'), "{other:?}: {error}");
    }
}

#[test]
fn who_answered_instead_is_named() {
    let nginx = read("x", b"HTTP/1.1 404 Not Found\r\nServer: nginx/1.22.1\r\n\r\n<html>").unwrap_err().to_string();
    assert!(nginx.ends_with("what answers there is nginx/1.22.1 (HTTP/1.1 404 Not Found)"), "{nginx}");
    let ssh = read("x", b"SSH-2.0-OpenSSH_9.2\r\n").unwrap_err().to_string();
    assert!(ssh.ends_with("no web server: `SSH-2.0-OpenSSH_9.2`"), "{ssh}");
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
        wish(What::Tag("a\"b".to_owned()), Some("site"), true),
        json!({ "tag": "a\"b", "site": "site", "soft": true })
    );
}
