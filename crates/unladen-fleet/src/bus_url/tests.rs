use super::*;

#[test]
fn it_shows_no_secret() {
    let url = BusUrl::parse("valkeys://me:s%40cret@cache.example:6380/2?password=s3cret").unwrap();
    assert_eq!(url.to_string(), "valkeys://cache.example:6380/2");
    assert!(!format!("{url:?}").contains("cret"));
    assert_eq!(url.credentials(), (b"me".to_vec(), Some(b"s@cret".to_vec())));
}

/// What followed a slash in a password was taken for a path, and shown.
#[test]
fn a_password_with_a_slash_is_not_shown() {
    for text in [
        "valkey://default:/s3cret@host:6379/0",
        "valkey://default:12/34s3cret@host:6379/0",
        "valkey://me@there:/s3cret@host:6379/0",
        "valkey://default:?s3cret@host:6379/0",
        "valkey://default:#s3cret@host:6379/0",
        "nats://:/s3cret@host",
        "postgres://me:1/s3cret@host/db",
    ] {
        let error = BusUrl::parse(text).expect_err(text).to_string();
        assert!(!error.contains("cret") && (error.contains("%2F") || error.contains("%40")), "{error}");
    }
    // Without a host, there is no `@`.
    let url = BusUrl::parse("valkey://default:/s3cret").unwrap();
    assert_eq!(url.to_string(), "valkey://default/…");
    let url = BusUrl::parse("postgres://host/shop?user=me&password=a@b").unwrap();
    assert_eq!(url.to_string(), "postgres://host/shop");
}

/// A URL of libpq with several hosts was refused, by which nodes find the server that has taken over.
#[test]
fn postgresql_has_several_hosts() {
    let text = "postgres://me:s3cret@a:1,[::1]:2,c/shop?target_session_attrs=read-write";
    let url = BusUrl::parse(text).unwrap();
    assert_eq!((url.as_str(), &*url.to_string()), (text, "postgres://a:1,[::1]:2,c/shop"));
    let url = BusUrl::parse("postgres://me:s3cret@/shop?host=/run/postgresql").unwrap();
    assert_eq!(url.to_string(), "postgres:///shop");
    for wrong in ["postgres://me:s3cret@a:1,b:s3cret/shop", "valkey://:s3cret@a:1,b:2", "postgres://me:s3,b:s3cret"] {
        let error = BusUrl::parse(wrong).unwrap_err().to_string();
        assert!(!error.contains("cret"), "{error}");
    }
}

#[test]
fn a_message_about_a_url_has_no_secret() {
    let error = BusUrl::parse("valkey://me:secret@host:port/").unwrap_err();
    assert!(!error.to_string().contains("secret"), "{error}");
}
