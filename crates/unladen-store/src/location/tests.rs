//! Tests of [`Location`].

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Location {
    text.parse().unwrap()
}

#[test]
fn a_path_is_a_file_and_a_url_a_server() {
    for path in ["runs.sqlite", "/var/lib/runs.sqlite", "./a b", "a~", "dir/~/x", "C:x", "weird:/x", "?://x"] {
        assert_eq!(read(path), Location::Sqlite(path.into()), "{path}");
    }
    for url in ["postgres://u@h/d", "postgresql:///d?host=/run/postgresql"] {
        assert_eq!(read(url), Location::Postgres(url.to_owned()));
    }
}

#[test]
fn what_is_no_place_says_what_to_write() {
    let said = |text: &str| text.parse::<Location>().unwrap_err().to_string();
    insta::assert_snapshot!(said(""), @"no store is named: write the path of a file, or postgres://USER@HOST/DATABASE");
    insta::assert_snapshot!(said("~/runs.sqlite"), @"`~` is not expanded in a store's path: write the path in full");
    assert_eq!(said("~"), said("~/x"));
    insta::assert_snapshot!(said("mysql://u:hush@h/d"), @"mysql:// URLs are not supported: write the path of a file, \
        or postgres://USER@HOST/DATABASE");
}

/// A password became the name of a file, which messages show.
#[test]
fn words_of_libpq_are_no_file() {
    for words in ["host=localhost password=hush", "user=u dbname=d password=hush", "password=hush"] {
        let error = words.parse::<Location>().unwrap_err();
        assert_eq!(error, LocationError::Words);
        assert!(!error.to_string().contains("hush"));
    }
    assert_eq!(read("runs of host.sqlite"), Location::Sqlite("runs of host.sqlite".into()));
}

#[test]
fn the_usual_place_is_that_of_state() {
    let usual = |state: Option<&str>, home: Option<&str>| {
        Location::usual(state.map(Into::into), home.map(Into::into)).to_string()
    };
    assert_eq!(usual(Some("/state"), Some("/home/u")), "/state/unladen/runs.sqlite");
    assert_eq!(usual(None, Some("/home/u")), "/home/u/.local/state/unladen/runs.sqlite");
    // The specification: what is relative is to be ignored.
    assert_eq!(usual(Some("state"), Some("/home/u")), "/home/u/.local/state/unladen/runs.sqlite");
    assert_eq!(usual(Some(""), Some("/home/u")), "/home/u/.local/state/unladen/runs.sqlite");
    assert_eq!(usual(None, Some("u")), "the home of a user who has none");
    assert_eq!(Location::usual(None, None), Location::Sqlite(PathBuf::new()));
}

#[test]
fn what_is_shown_has_no_password() {
    for (url, shown) in [
        ("postgres://u:hush@db.example:5432/runs", "postgres://u@db.example/runs"),
        (
            "postgresql://u:hush@db.example:6432/runs?sslmode=verify-full&sslrootcert=/ca.pem",
            "postgres://u@db.example:6432/runs",
        ),
        ("postgres://u@/runs?host=/run/postgresql&password=hush", "postgres://u@/run/postgresql/runs"),
        ("postgres://u:hush@h1,h2:6432/runs", "postgres://u@h1,h2:6432/runs"),
        ("postgres://u:hush@[::1]:7000/runs", "postgres://u@[::1]:7000/runs"),
        // A password may look like a port, and what follows it like a parameter.
        ("postgres://u:1234?sslmode=x@h/runs", "postgres://…"),
        ("postgres://u:hush@h:port/runs", "postgres://…"),
        // The client library takes the first `@` for the end, and the rest of the password for a host.
        ("postgres://u:hu@sh@h/runs", "postgres://…"),
        ("postgres://u:hush@h/runs?unknown=hush", "postgres://…"),
    ] {
        let location = read(url);
        assert_eq!(location.to_string(), shown, "{url}");
        assert_eq!(format!("{location:?}"), format!("Location(\"{shown}\")"));
    }
}

proptest! {
    // An `@` ends a password, and after a `?` or a `/` it has to be escaped: what comes then is said to be something else.
    #[test]
    fn no_url_shows_its_password(
        user in "[a-z]{1,8}", before in "[!-.0-9:->A-~]{0,6}", after in "[!-~]{0,6}|\\?sslmode=", end in "[ -~]{0,20}",
    ) {
        let url = format!("postgres://{user}:{before}51227{after}@{end}");
        let shown = read(&url).to_string();
        prop_assert!(!shown.contains("51227"), "{url} as {shown}");
    }
}
