//! Tests of [`ValidatorSettings`] and [`ValidatorSource`].

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

/// Standard error told the heartbeat alone.
#[test]
fn what_is_served_without_an_answer_adds_to_the_bound() {
    let seconds = |seconds: Option<u64>| seconds.map(Duration::from_secs);
    let settings = |heartbeat, stale| ValidatorSettings {
        path: "/".to_owned(),
        source: ValidatorSource::Head,
        timeout: Duration::from_secs(1),
        connections: 1,
        stale: seconds(stale),
        listen: seconds(heartbeat).map(|heartbeat| ListenSettings { channel: "changes".to_owned(), heartbeat }),
        shared: None,
    };
    for (heartbeat, stale, oldest) in
        [(None, None, None), (Some(1), None, Some(1)), (None, Some(60), Some(60)), (Some(1), Some(60), Some(61))]
    {
        assert_eq!(settings(heartbeat, stale).oldest(), seconds(oldest));
        assert_eq!(settings(heartbeat, stale).bound(), seconds(heartbeat), "an answer's own does not change");
    }
}
