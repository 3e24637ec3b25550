use super::*;

#[test]
fn words_in_braces_are_replaced_and_others_stay() {
    let page = ErrorPage::parse("<style>a{b:c}</style>{{status}}: {reason} {request_id} {statu} {");
    let text = page.write(503, Reason::QueueFull, b"<script>'\"&\r\n\xff");
    assert_eq!(text, "<style>a{b:c}</style>{503}: queue_full &lt;script&gt;&#39;&quot;&amp;\u{fffd} {statu} {");
}

#[test]
fn a_long_identifier_is_cut() {
    assert_eq!(ErrorPage::parse("{request_id}").write(500, Reason::FileFailed, &[b'a'; 5000]).len(), LONGEST_ID);
}

#[test]
fn html_is_for_those_who_name_it() {
    for (accept, wanted) in [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
        ("TEXT/HTML;level=1", true),
        ("application/xhtml+xml", true),
        ("*/*", false),
        ("text/*", false),
        ("application/json", false),
        ("text/html;q=0", false),
        ("text/html; q=0.0, */*", false),
        ("text/html;q=0.01", true),
        ("", false),
    ] {
        let mut fields = Fields::default();
        fields.push(b"Accept", accept.as_bytes());
        assert_eq!(takes_html(&fields), wanted, "{accept}");
    }
    assert!(!takes_html(&Fields::default()));
}

#[test]
fn a_page_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    assert!(ErrorPage::read(&path).unwrap_err().to_string().contains("page.html"));
    std::fs::write(&path, vec![b'a'; 256 * 1024 + 1]).unwrap();
    assert!(matches!(ErrorPage::read(&path), Err(ErrorPageError::TooLong(_))));
    std::fs::write(&path, b"\xff").unwrap();
    assert!(matches!(ErrorPage::read(&path), Err(ErrorPageError::NotUtf8(_))));
    std::fs::write(&path, "{status}").unwrap();
    assert_eq!(ErrorPage::read(&path).unwrap().write(404, Reason::NotFound, b""), "404");
}

fn reply(page: Option<&str>, accept: &str, id: &[u8]) -> (Response, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let page = page.map(|text| {
        std::fs::write(&path, text).unwrap();
        ErrorPage::read(&path).unwrap()
    });
    let mut request = Request::default();
    request.fields.push(b"accept", accept.as_bytes());
    let mut response = Response::default();
    let after = Some(Duration::from_millis(1500));
    let body = local_reply(&mut response, (Reason::QueueFull, after), page.as_ref(), &request, id);
    (response, body)
}

#[test]
fn a_reply_shows_the_identifier_and_its_own_length() {
    for (page, accept, id, kind, wanted) in [
        (Some("<p>{status} {request_id}"), "text/html", &b"a<b"[..], "text/html; charset=utf-8", "<p>503 a&lt;b"),
        (Some("<p>{status}"), "*/*", b"x", "text/plain", "503 queue_full\nrequest x\n"),
        (None, "text/html", b"x", "text/plain", "503 queue_full\nrequest x\n"),
        (None, "text/html", b"", "text/plain", "503 queue_full\n"),
    ] {
        let (response, body) = reply(page, accept, id);
        assert_eq!(body, wanted);
        assert_eq!(response.length, Length::Exact(body.len() as u64));
        let field = |name: &[u8]| response.fields.find(name).map(|value| String::from_utf8_lossy(value).into_owned());
        assert_eq!(field(b"content-type").as_deref(), Some(kind));
        assert_eq!(field(b"content-length"), Some(body.len().to_string()));
        assert_eq!(field(b"retry-after").as_deref(), Some("2"));
        assert_eq!(field(b"vary").as_deref(), page.map(|_| "accept"));
    }
}
