use super::*;
use crate::tests::testing::{NOW, fields, lines_of};

// RFC 9111, section 4.3.1
#[test]
fn a_question_about_what_is_stored() {
    let client = [
        "A: 1",
        "If-None-Match: \"x\"",
        "If-Modified-Since: x",
        "If-Match: \"x\"",
        "If-Unmodified-Since: x",
        "if-range: x",
        "Range: bytes=0-1",
    ];
    let asked = |validators: &Validators| {
        let mut fields = fields(&client);
        make_conditional(&mut fields, validators);
        lines_of(&fields)
    };
    assert_eq!(asked(&Validators::default()), ["A: 1"]);
    let both = Validators { etag: Some(Box::from(&b"W/\"a\""[..])), modified: Some(NOW), date: None };
    assert_eq!(asked(&both), ["A: 1", "If-None-Match: W/\"a\"", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"]);
}

// RFC 9111, section 3.2
#[test]
fn what_a_304_changes() {
    let stored = fields(&[
        "Date: old",
        "A: 1",
        "B: 1",
        "b: 2",
        "ETag: \"a\"",
        "Content-Type: text/plain",
        "Content-Encoding: gzip",
        "Content-MD5: x",
        "Cache-Control: max-age=2",
        "Age: 1",
    ]);
    let by = fields(&[
        "Date: new",
        "B: 3",
        "C: 4",
        "ETag: \"b\"",
        "Content-Type: text/html",
        "Content-Encoding: br",
        "Content-Length: 0",
        "Content-Range: x",
        "Content-MD5: y",
        "Set-Cookie: a=b",
        "Connection: close, A",
        "A: 2",
        "Keep-Alive: x",
        "Proxy-Authenticate: x",
        "Age: 7",
    ]);
    let updated = [
        "ETag: \"a\"",
        "Content-Encoding: gzip",
        "Content-MD5: x",
        "Cache-Control: max-age=2",
        "Date: new",
        "B: 3",
        "C: 4",
        "Content-Type: text/html",
        "Age: 7",
    ];
    assert_eq!(lines_of(&update(&stored, &by)), [&["A: 1"], &updated[..]].concat());
}

#[test]
fn a_304_without_a_date_does_not_make_it_old() {
    let updated = update(&fields(&["Date: old", "Age: 1", "A: 1"]), &Fields::default());
    assert_eq!(lines_of(&updated), ["A: 1"]);
}
