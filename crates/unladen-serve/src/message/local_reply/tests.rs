use super::*;

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
