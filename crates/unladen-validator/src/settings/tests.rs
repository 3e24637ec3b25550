//! Tests of [`ValidatorSource`].

use super::*;

#[test]
fn a_password_is_never_shown() {
    for url in [
        "postgres://u:hush@h/db",
        "postgres://u:hu@sh@h/db",
        "postgres://u@h/db?password=hush",
        "postgres://u:hush?@h/db?a=b",
        "u:hush@h",
    ] {
        let source =
            ValidatorSource::Postgres { url: url.to_owned(), query: "select 1".to_owned(), parameters: vec![] };
        let shown = format!("{source:?} {}", masked(url));
        assert!(!shown.contains("hush") && !shown.contains("hu@"), "{shown}");
    }
    assert_eq!(masked("postgres://u:hush@h:5432/db?sslmode=disable"), "postgres://h:5432/db");
}
