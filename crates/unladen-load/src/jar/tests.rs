use super::*;

fn get(url: &str) -> Request {
    Request::get(url).unwrap().build().unwrap()
}

fn answer(lines: &[&str]) -> HeaderMap {
    lines.iter().map(|line| (header::SET_COOKIE, line.parse().unwrap())).collect()
}

fn sent(jar: &mut Jar, index: usize, origin: usize, request: &Request) -> Option<String> {
    let dressed = jar.dress(index, origin, request)?;
    Some(dressed.headers()[header::COOKIE].to_str().unwrap().to_owned())
}

#[test]
fn what_an_answer_sets_is_sent_back_to_where_it_came_from() {
    let (page, other) = (get("http://a/shop/cart"), get("http://b/shop/cart"));
    let mut jar = Jar::default();
    assert_eq!(sent(&mut jar, 0, 0, &page), None);
    jar.keep(0, &page, &answer(&["sid=4711; Path=/; HttpOnly", "seen=1"]));
    assert_eq!(sent(&mut jar, 0, 0, &page).as_deref(), Some("sid=4711; seen=1"));
    assert_eq!(sent(&mut jar, 1, 1, &other), None, "another site's");
    assert_eq!(sent(&mut jar, 2, 0, &get("http://a/")).as_deref(), Some("sid=4711"), "seen is for /shop alone");
    // Given a new session, a browser sends that one; logged out, none.
    jar.keep(0, &page, &answer(&["sid=4712; Path=/"]));
    assert_eq!(sent(&mut jar, 0, 0, &page).as_deref(), Some("sid=4712; seen=1"));
    jar.keep(0, &page, &answer(&["sid=deleted; Path=/; Max-Age=0"]));
    assert_eq!(sent(&mut jar, 0, 0, &page).as_deref(), Some("seen=1"));
}

#[test]
fn a_cookie_that_was_given_stays_as_it_was_given() {
    let page = Request::get("http://a/").unwrap().cookie("sid=mine").unwrap().build().unwrap();
    let mut jar = Jar::default();
    jar.keep(0, &page, &answer(&["sid=4711", "theme=b"]));
    assert_eq!(sent(&mut jar, 0, 0, &page).as_deref(), Some("sid=mine; theme=b"));
}

#[test]
fn no_user_has_two_requests_under_way() {
    let (jars, page) = (Jars::default(), get("http://a/"));
    let (mut first, mut second) = (jars.take(), jars.take());
    first.keep(0, &page, &answer(&["sid=1"]));
    second.keep(0, &page, &answer(&["sid=2"]));
    jars.give_back(first);
    assert_eq!(sent(&mut jars.take(), 0, 0, &page).as_deref(), Some("sid=1"));
    jars.give_back(second);
    assert_eq!(sent(&mut jars.take(), 0, 0, &page).as_deref(), Some("sid=2"));
    assert_eq!(sent(&mut jars.take(), 0, 0, &page), None, "a new user");
}

#[test]
fn a_server_that_sets_cookies_without_end_fills_no_memory() {
    let page = get("http://a/");
    let mut jar = Jar::default();
    for number in 0..1_000 {
        jar.keep(0, &page, &answer(&[&format!("c{number}=1")]));
    }
    jar.keep(0, &page, &answer(&[&format!("long={}", "x".repeat(5_000))]));
    assert_eq!(jar.cookies.len(), MOST_COOKIES);
}

/// A thousand users and an access log of 100,000 URLs came to 100 million requests that were kept ready.
#[test]
fn a_long_list_of_urls_is_not_kept_once_for_each_user() {
    let page = get("http://a/");
    let mut jar = Jar::default();
    jar.keep(0, &page, &answer(&["sid=4711"]));
    for index in 0..2_000 {
        assert_eq!(sent(&mut jar, index, 0, &page).as_deref(), Some("sid=4711"));
    }
    assert!(jar.dressed.len() <= MOST_DRESSED, "{}", jar.dressed.len());
}

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
