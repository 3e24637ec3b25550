use super::*;

fn to(method: &str, authority: &str, target: &str, port: Option<u16>) -> Option<(u16, String)> {
    let request =
        Request { method: method.into(), authority: authority.into(), target: target.into(), ..Request::default() };
    let mut response = Response::default();
    redirect(&mut response, &request, port)?;
    let location = response.fields.find(b"location").unwrap();
    Some((response.status, String::from_utf8(location.to_vec()).unwrap()))
}

#[test]
fn the_same_place_by_https() {
    for (authority, target, port, location) in [
        ("site.example", "/a?b", None, "https://site.example/a?b"),
        ("site.example:80", "/", Some(443), "https://site.example/"),
        ("site.example:8080", "/", Some(8443), "https://site.example:8443/"),
        ("[::1]", "/", None, "https://[::1]/"),
        ("[::1]:80", "/", Some(8443), "https://[::1]:8443/"),
        ("site.example", "//evil.example/", None, "https://site.example//evil.example/"),
        ("site.example", "*", None, "https://site.example/"),
    ] {
        assert_eq!(to("GET", authority, target, port), Some((301, location.into())));
    }
    assert_eq!(to("POST", "a", "/", None), Some((308, "https://a/".into())));
    assert_eq!(to("GET", "", "/", None), None);
}

#[test]
fn hops_of_trace_and_options_were_neither_looked_at_nor_counted() {
    let counted = |method: &[u8], hops: &[u8]| {
        let mut request = Request { method: method.into(), ..Request::default() };
        request.fields.push(MAX_FORWARDS, hops);
        let status = counted(&mut request);
        (status, String::from_utf8_lossy(request.fields.find(MAX_FORWARDS).unwrap_or_default()).into_owned())
    };
    assert_eq!(counted(b"OPTIONS", b"0"), (Some(200), "0".to_owned()));
    assert_eq!(counted(b"TRACE", b"0"), (Some(405), "0".to_owned()));
    assert_eq!(counted(b"TRACE", b"3"), (None, "2".to_owned()));
    // Of other methods it may mean something to the application; what is no number means nothing.
    assert_eq!(counted(b"GET", b"0"), (None, "0".to_owned()));
    assert_eq!(counted(b"OPTIONS", b"many"), (None, "many".to_owned()));
    assert_eq!(counted(b"OPTIONS", b"+1"), (None, "+1".to_owned()));
    // It went round for ever.
    let (most, less) = ("99999999999999999999", (u64::MAX - 1).to_string());
    assert_eq!(counted(b"TRACE", most.as_bytes()), (None, less));
    let mut twice = Request { method: b"OPTIONS".into(), ..Request::default() };
    twice.fields.push(MAX_FORWARDS, b"5");
    twice.fields.push(MAX_FORWARDS, b"0");
    assert_eq!(super::counted(&mut twice), Some(200));
}
