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
