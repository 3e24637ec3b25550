use unladen_http1::Request;

use super::uncacheable_key;

fn key(fields: &[(&[u8], &[u8])], has_cookies: bool) -> Vec<u8> {
    let mut request = Request::default();
    fields.iter().for_each(|(name, value)| request.fields.push(name, value));
    uncacheable_key(b"http://a/", &request, has_cookies).into_owned()
}

#[test]
fn whoever_says_who_they_are_is_told_apart() {
    let nobody = key(&[(b"accept", b"*/*")], false);
    assert_eq!(nobody, b"http://a/");
    // Cookies that do not matter.
    assert_eq!(key(&[(b"cookie", b"_ga=1")], false), nobody);
    let users = [
        nobody.clone(),
        key(&[(b"Cookie", b"session=1")], true),
        key(&[(b"cookie", b"session=2")], true),
        key(&[(b"cookie", b"a=1"), (b"cookie", b"session=2")], true),
        key(&[(b"Authorization", b"Basic YQ==")], false),
        key(&[(b"authorization", b"Basic Yg==")], false),
    ];
    for (n, one) in users.iter().enumerate() {
        assert!(users[n + 1..].iter().all(|other| other != one), "{}", one.escape_ascii());
    }
}
