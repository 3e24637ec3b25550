use sfv::{List, Parser};

use super::*;

fn written(status: CacheStatus<'_>, name: &str) -> String {
    let mut out = Vec::new();
    status.write(name, &mut out);
    let list = Parser::new(&out).parse::<List>().expect("a list of structured fields");
    assert_eq!(list.len(), 1);
    String::from_utf8(out).expect("ASCII")
}

// RFC 9211, section 2
#[test]
fn members() {
    assert_eq!(
        written(CacheStatus { hit: true, ttl: Some(12), ..CacheStatus::default() }, "unladen"),
        "unladen; hit; ttl=12"
    );
    assert_eq!(written(CacheStatus { ttl: Some(0), ..CacheStatus::default() }, "unladen"), "unladen; ttl=0");
    let forwarded = CacheStatus {
        forwarded: Some(Forwarded::UriMiss),
        forwarded_status: Some(200),
        ttl: Some(-3),
        stored: true,
        collapsed: true,
        detail: Some("no-store"),
        ..CacheStatus::default()
    };
    let expected = "unladen; fwd=uri-miss; fwd-status=200; ttl=-3; stored; collapsed; detail=no-store";
    assert_eq!(written(forwarded, "unladen"), expected);
}

#[test]
fn names_and_details_of_any_kind() {
    let of = |text: &str| {
        let status = CacheStatus { detail: Some(text), ttl: Some(i64::MIN), ..CacheStatus::default() };
        written(status, text)
    };
    assert_eq!(of("a.example:80/x"), "a.example:80/x; ttl=-999999999999999; detail=a.example:80/x");
    assert_eq!(of("1 \"\\\r\n\u{fc}"), "\"1 \\\"\\\\\"; ttl=-999999999999999; detail=\"1 \\\"\\\\\"");
    assert_eq!(of(""), "\"\"; ttl=-999999999999999; detail=\"\"");
}
