use super::*;

fn sent(text: &str) -> Option<String> {
    let exporter: Exporter = text.parse().unwrap();
    let value = exporter.request.given_headers().find(|(name, _)| name.as_str() == "authorization")?.1;
    Some(value.to_str().unwrap().to_owned())
}

#[test]
fn a_login_in_the_url_is_sent_and_never_shown() {
    // `joe:p@ss:word`
    assert_eq!(sent("db=http://joe:p%40ss%3Aword@127.0.0.1:1/metrics").unwrap(), "Basic am9lOnBAc3M6d29yZA==");
    assert_eq!(sent("db=http://127.0.0.1:1/metrics"), None);
    let exporter: Exporter = "db=https://joe:secret@h:1/m".parse().unwrap();
    assert!(!format!("{exporter:?}").contains("secret"));
    assert_eq!(exporter.request.url().as_str(), "https://h:1/m");
    assert!(!exporter.request.name().contains("secret"));
}

#[test]
fn what_is_no_exporter_is_refused_without_its_password() {
    for text in
        ["http://joe:secret@h/metrics", "=http://joe:secret@h/", "a b=http://joe:secret@h/", "db=ftp://joe:secret@h/"]
    {
        let said = text.parse::<Exporter>().unwrap_err().to_string();
        assert!(!said.contains("secret"), "{said}");
    }
}
