use super::*;

fn headers(name: header::HeaderName, lines: &[&str]) -> HeaderMap {
    lines.iter().map(|line| (name.clone(), line.parse().unwrap())).collect()
}

#[test]
fn sends_back_what_is_set_and_not_what_is_taken_away() {
    let set = headers(
        header::SET_COOKIE,
        &[
            "sid=4711; path=/; HttpOnly",
            "theme=a",
            "gone=deleted; expires=Thu, 01-Jan-1970 00:00:01 GMT; Max-Age=0",
            "old=1; Max-Age=0",
            "theme=b=c; Max-Age=60",
            "noname",
        ],
    );
    assert_eq!(pairs(&set), ["sid=4711", "theme=b=c"]);
}

#[test]
fn a_cookie_is_for_a_folder_of_paths() {
    let set = headers(header::SET_COOKIE, &["a=1", "b=1; Path=/", "c=1; path=shop", "d=1; Path=/shop/"]);
    let paths: Vec<String> = sent_back(&set, "/shop/cart").into_iter().map(|set| set.path).collect();
    assert_eq!(paths, ["/shop", "/", "/shop", "/shop/"]);
    assert!(is_for("/shop", "/shop") && is_for("/shop", "/shop/cart") && !is_for("/shop", "/shopping"));
    assert!(is_for("/", "/any") && is_for("/shop/", "/shop/cart") && !is_for("/shop/", "/shop"));
    assert_eq!([folder_of("/"), folder_of("/a"), folder_of("/a/b/c"), folder_of("")], ["/", "/", "/a/b", "/"]);
}

#[test]
fn the_users_own_cookies_stay() {
    let own = headers(header::COOKIE, &["a=1; sid=0", "b=2"]);
    assert_eq!(joined(&own, &["sid=4711".to_owned()]), "a=1; b=2; sid=4711");
    assert_eq!(joined(&HeaderMap::new(), &["sid=4711".to_owned()]), "sid=4711");
}
