use proptest::prelude::*;

use super::*;

/// A line with a mistake was shown whole, password and all.
#[test]
fn what_may_be_a_secret_is_not_shown() {
    for line in [
        r#"purges = "valkey://me:s3cret@host:port/0""#,
        r#"purges = "valkey://:/s3cret@host:6379/0""#,
        r#"purges = "valkey://:it's s3cret@host""#,
        r#"purges = "valkey://:\"s3cret@host""#,
        r#"purges = "valkey://default:/s3cret""#,
        r#"purges = "valkey://default:12s3cret""#,
        r#"purges = "nats://s3cret@host""#,
        r#"purges = "valkey://:s3cret@host"#,
        r#"database = 'postgres://me:s3cret@[::1]:5432,b:5433/shop'"#,
        r#"database = 'postgres://db/shop?user=me&password=s3cret&sslmode=no'"#,
        r#"peers = ["http://a:1", "http://b:s3cret@c"]"#,
        r#"password = "s3cret""#,
        r#""secret"= 's3cret' "#,
        r#"eab = { kid = "a", key = "s3cret" }"#,
        "`none://me:s3cret@host`",
    ] {
        let shown = hidden(line);
        assert!(!shown.contains("cret@") && !shown.contains("3cret"), "{shown}");
        assert_eq!(shown.chars().count(), line.chars().count());
    }
}

#[test]
fn all_else_is_shown() {
    for line in [
        r#"upstream = "http://127.0.0.1:8080"  # ask me@example.org"#,
        r#"purges = "valkey://cache.example:6379/0""#,
        r#"database = "postgres://a:1,b:2/shop?target_session_attrs=read-write""#,
        r#"upstream = "https://[::1]:8443/""#,
        r#"secret_file = "/etc/unladen/tier.secret""#,
        r#"certificate = "a.pem", key = "b.pem""#,
        "threads = 4",
    ] {
        assert_eq!(hidden(line), line);
    }
    let shown = hidden(r#"database = "postgres://me:s3cret@db/a?sslmode=no&password=x""#);
    assert_eq!(shown, r#"database = "postgres://*********@db/a?sslmode=no&password=*""#);
}

proptest! {
    #[test]
    fn any_line_keeps_its_length(line in "([a-z]{0,4}(://|=|@|:|/|\"|'|\\\\|password|key|kid|\\PC)){0,12}") {
        prop_assert_eq!(hidden(&line).chars().count(), line.chars().count());
    }
}
