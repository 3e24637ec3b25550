use std::sync::Arc;

use unladen_observability::ClientMemory;

use super::*;
use crate::limits::budget::Budget;

fn response(head: &str) -> Response {
    let mut response = Response::default();
    let text = format!("HTTP/1.1 {head}\n\n").replace('\n', "\r\n");
    let parsed = response.parse(text.as_bytes(), b"GET", &Default::default());
    assert_eq!(parsed, Ok(Some(text.len())), "{head}");
    response
}

/// What the head becomes, and what is added to it; no head: it stays as it is.
fn outcome(head: &str, accepts: &str, share: &Arc<Share>) -> (Option<String>, String) {
    let mut more = Fields::default();
    let text = |fields: &Fields| {
        let lines = fields.iter().map(|field| [field.name, b": ", field.value].concat());
        String::from_utf8(lines.collect::<Vec<_>>().join(&b'\n')).expect("text")
    };
    let accepted = Accepted::of(Some(accepts.as_bytes()));
    let coded = coded(&response(head), false, accepted, share, &mut more);
    let coded = coded.inspect(|coded| assert_eq!(coded.response.length, Length::Chunked));
    (coded.map(|coded| text(&coded.response.fields)), text(&more))
}

#[test]
fn a_coded_answer_says_so_and_is_of_no_length_that_is_known() {
    let share = Budget::new(48 << 20).share(None);
    let head = "200 OK\nContent-Type: text/html\nContent-Length: 5000\nETag: \"a\"\nAccept-Ranges: bytes\nVary: Cookie";
    let (fields, more) = outcome(head, "gzip", &share);
    let expected = "Content-Type: text/html\nETag: W/\"a\"\nVary: Cookie\ncontent-encoding: gzip";
    assert_eq!(fields.as_deref(), Some(expected));
    assert_eq!(more, "vary: accept-encoding");
    let (fields, more) = outcome(head, "gzip;q=0.1, br;q=0.9", &share);
    assert!(fields.is_some_and(|fields| fields.ends_with("content-encoding: br")));
    assert_eq!(more, "vary: accept-encoding");
    // Another client would get another: caches have to know.
    assert_eq!(outcome(head, "", &share), (None, "vary: accept-encoding".into()));
    let told = "200 OK\nContent-Type: text/html\nVary: Accept-Encoding\nTransfer-Encoding: chunked";
    assert_eq!(outcome(told, "zstd", &share).1, "");
}

#[test]
fn what_is_to_stay_as_it_is_stays() {
    let share = Budget::new(48 << 20).share(None);
    let text = "Content-Type: text/html\nContent-Length: 5000";
    for head in [
        "200 OK\nContent-Type: image/png\nContent-Length: 5000",
        "200 OK\nContent-Length: 5000",
        "200 OK\nContent-Type: text/html\nContent-Length: 1023",
        "200 OK\nContent-Type: text/event-stream\nTransfer-Encoding: chunked",
        &format!("200 OK\n{text}\nContent-Encoding: br"),
        &format!("200 OK\n{text}\nCache-Control: private, no-transform"),
        &format!("200 OK\n{text}\nContent-MD5: 1B2M2Y8AsgTpgAmY7PhCfg=="),
        &format!("200 OK\n{text}\nRepr-Digest: sha-256=:AAAA:"),
        &format!("206 Partial Content\n{text}\nContent-Range: bytes 0-4999/5000"),
        &format!("206 Partial Content\n{text}"),
        "304 Not Modified\nContent-Type: text/html",
        "204 No Content\nContent-Type: text/html",
        "302 Found\nContent-Type: text/html\nContent-Length: 5000",
    ] {
        assert_eq!(outcome(head, "gzip, br, zstd", &share), (None, String::new()), "{head}");
    }
}

#[test]
fn without_memory_for_it_an_answer_is_sent_as_it_is() {
    let budget = Budget::new(6 << 20);
    let share = budget.share(None);
    let head = "200 OK\nContent-Type: text/html\nContent-Length: 5000";
    assert!(outcome(head, "br", &share).0.is_none(), "a connection's part is half a megabyte");
    assert!(outcome(head, "br, gzip;q=0.1", &share).0.is_some_and(|fields| fields.ends_with("gzip")));
    let _held = share.hold(400 << 10);
    assert!(outcome(head, "gzip, br", &share).0.is_none());
    assert_eq!(budget.state().reached[0], 0, "it did not wait");
}

#[test]
fn the_head_of_an_answer_is_the_same_without_its_body() {
    let share = Budget::new(48 << 20).share(None);
    let mut answer = Response::default();
    let text = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n";
    answer.parse(text, b"HEAD", &Default::default()).expect("a response");
    let mut more = Fields::default();
    let accepted = Accepted::of(Some(b"gzip"));
    let coded = coded(&answer, true, accepted, &share, &mut more).expect("it is coded");
    assert!(coded.encoder.is_none());
    assert_eq!(coded.response.fields.find(b"content-encoding"), Some(&b"gzip"[..]));
    assert_eq!(coded.response.fields.find(b"content-length"), None);
    assert_eq!(share.held(), 0);
}
