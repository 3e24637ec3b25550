use super::*;

fn left(cookies: &[&str]) -> (bool, Vec<String>) {
    let mut fields = Fields::default();
    fields.push(b"accept", b"*/*");
    cookies.iter().for_each(|cookie| fields.push(b"Cookie", cookie.as_bytes()));
    fields.push(b"x-cookie", b"__unladen_fresh=1");
    let is_author = Author::within(Duration::from_millis(5)).take_off(&mut fields);
    assert!(fields.find(b"accept").is_some() && fields.find(b"x-cookie").is_some());
    let left = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"cookie"));
    (is_author, left.map(|field| String::from_utf8_lossy(field.value).into_owned()).collect())
}

/// Neither the application nor the cache is to see it: a page would be one client's alone.
#[test]
fn nothing_is_left_of_the_cookie() {
    assert_eq!(left(&["__unladen_fresh=1"]), (true, vec![]));
    assert_eq!(left(&["a=1; __unladen_fresh=1; b=\"2\""]), (true, vec!["a=1; b=\"2\"".to_owned()]));
    assert_eq!(left(&[" __unladen_fresh = x;; __unladen_fresh", "b=2"]), (true, vec!["b=2".to_owned()]));
}

#[test]
fn other_cookies_stay_as_they_are() {
    for cookies in ["a=__unladen_fresh; __unladen_fresher=1;x", "a=1;b=2", ""] {
        assert_eq!(left(&[cookies]), (false, vec![cookies.to_owned()]));
    }
    assert_eq!(left(&[]), (false, vec![]));
}

#[test]
fn it_lasts_as_long_as_a_validator_may_not_know() {
    for (bound, is_https, value) in [
        (5, false, "__unladen_fresh=1; Max-Age=1; Path=/; HttpOnly; SameSite=Lax"),
        (2000, true, "__unladen_fresh=1; Max-Age=2; Path=/; HttpOnly; SameSite=Lax; Secure"),
        (2001, false, "__unladen_fresh=1; Max-Age=3; Path=/; HttpOnly; SameSite=Lax"),
    ] {
        let mut more = Fields::default();
        Author::within(Duration::from_millis(bound)).mark(&mut more, is_https);
        assert_eq!(more.find(b"set-cookie"), Some(value.as_bytes()));
    }
    assert!(Author::new(&[]).is_none());
}
