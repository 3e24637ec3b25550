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
