use super::*;

#[test]
fn answers_are_told_apart() {
    let of = |answer: &str| read("127.0.0.1:9901", answer.as_bytes()).map_err(|error| error.to_string());
    assert_eq!(of("HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{\"purged\":3}\n"), Ok(3));
    let refused = of("HTTP/1.1 404 Not Found\r\n\r\n{\"error\":\"no front has the name \\\"a\\\"\"}\n");
    assert_eq!(refused, Err("no front has the name \"a\"".to_owned()));
    for other in [
        "",
        "\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\n\r\n<html>",
        "HTTP/1.1 200 OK\r\n\r\n{\"purged\":-1}",
        "HTTP/1.1 \u{e9}\r\n\r\n",
        "HTTP/1.1 421 Misdirected\r\n\r\nno\x1b[2J",
    ] {
        let error = of(other).unwrap_err();
        assert!(error.contains("no admin address") && !error.contains('\x1b'), "{other:?}: {error}");
    }
}

#[test]
fn what_is_asked_for_is_said() {
    let wish = |what, front: Option<&str>, is_soft| Wish { what, front: front.map(str::to_owned), is_soft }.document();
    assert_eq!(wish(What::All, None, false), json!({ "all": true }));
    assert_eq!(
        wish(What::Tag("a\"b".to_owned()), Some("site"), true),
        json!({ "tag": "a\"b", "front": "site", "soft": true })
    );
}
