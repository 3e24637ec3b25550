use std::io::Write;

use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Result<Vec<UrlLine>, UrlListError> {
    UrlLine::parse_list(text, Path::new("some.urls"))
}

fn error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn reads_methods_labels_comments_and_windows_lines() {
    let lines = parse("\u{feff}# all\r\n\r\n  HEAD http://h/a\tthe  head \r\nhttps://h/b#c").unwrap();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].is_method_named && !lines[1].is_method_named);
    assert_eq!((lines[0].method.as_str(), lines[0].label.as_deref()), ("HEAD", Some("the  head")));
    assert_eq!(lines[0].request().unwrap().build().unwrap().name(), "the  head");
    assert_eq!(lines[1].request().unwrap().build().unwrap().name(), "GET https://h/b");
}

#[test]
fn names_file_line_value_and_what_was_expected() {
    let message = error("http://h/\n\nftp://h/");
    assert!(message.starts_with("some.urls:3: `ftp://h/`"), "{message}");
    assert!(message.contains("http:// or https://") && message.contains("[METHOD] URL [label]"), "{message}");
    assert!(error("POST").contains("some.urls:1: `POST` has no URL"));
    assert!(error("/page").contains("is not a URL"));
    assert!(error("http://h/\nnot a url").contains("some.urls:2: `not a url` has no URL"));
    assert!(parse("localhost the page").is_ok());
    assert!(error("CONNECT http://h/").contains("tunnel"));
    assert!(error("# nothing\n\n").contains("is empty"));
}

#[test]
fn an_address_without_a_scheme_is_no_weight() {
    let lines = parse("127.0.0.1:8080/a the page\n2 localhost/b\n0.5 POST example.org\n").unwrap();
    let urls: Vec<_> = lines.iter().map(|line| (line.url.as_str(), line.weight)).collect();
    assert_eq!(urls, [("http://127.0.0.1:8080/a", 1.0), ("http://localhost/b", 2.0), ("http://example.org/", 0.5)]);
    assert_eq!(lines[0].label.as_deref(), Some("the page"));
}

#[test]
fn refuses_files_that_are_no_list() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&[0xff, 0xfe, b'a']).unwrap();
    assert!(UrlList::read(file.path()).unwrap_err().to_string().contains("not UTF-8"));
    assert!(UrlList::read(Path::new("/dev/zero")).unwrap_err().to_string().contains("longer than"));
    let missing = UrlList::read(Path::new("/nowhere/at.all")).unwrap_err().to_string();
    assert!(missing.contains("/nowhere/at.all"), "{missing}");
}

/// One bad line refused a list of thousands.
#[test]
fn a_line_that_is_no_url_is_passed_over_and_said() {
    let list = UrlList::parse(b"http://h/a\nhttp://h/b\nftp://h/\nhttp://h/\xff\nhttp://h/c", Path::new("l")).unwrap();
    assert_eq!((list.lines.len(), list.passed_over.len()), (3, 2));
    let remark = list.remark().unwrap();
    assert!(remark.starts_with("2 of 5 lines passed over, the first: l:3: `ftp://h/`"), "{remark}");
    let mostly = UrlList::parse(b"prose is\nno list\nhttp://h/a", Path::new("l")).unwrap_err();
    assert!(mostly.to_string().starts_with("l:1: "), "{mostly}");
    assert!(UrlList::parse(b"http://h/a", Path::new("l")).unwrap().remark().is_none());
}

proptest! {
    #[test]
    fn never_panics(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn reads_back_what_was_written(
        lines in prop::collection::vec(("(GET |PUT |)", "[a-z]{1,9}(/[a-z0-9]{0,5}){1,3}", "( [a-z][a-z ]{0,9}[a-z])?"), 1..9)
    ) {
        let text: String = lines.iter().map(|(method, url, label)| format!("{method}http://{url}{label}\n")).collect();
        let read = parse(&text).unwrap();
        prop_assert_eq!(read.len(), lines.len());
        for (read, (method, url, label)) in read.iter().zip(&lines) {
            prop_assert_eq!(read.method.as_str(), if method.is_empty() { "GET" } else { method.trim() });
            prop_assert_eq!(read.url.as_str(), format!("http://{url}"));
            prop_assert_eq!(read.label.as_deref().unwrap_or_default(), label.trim());
        }
    }
}
