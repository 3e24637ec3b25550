use proptest::prelude::*;

use super::*;

fn access(allow: &[&str], deny: &[&str]) -> Access {
    let nets =
        |texts: &[&str]| texts.iter().filter(|text| **text != "unix").map(|text| text.parse().unwrap()).collect();
    let settings = AccessSettings {
        allow: nets(allow),
        allow_unix: allow.contains(&"unix"),
        deny: nets(deny),
        deny_unix: deny.contains(&"unix"),
        auth: None,
    };
    Access::new(&settings).unwrap()
}

#[test]
fn deny_goes_before_allow() {
    let some = access(&["10.0.0.0/8", "2001:db8::/32"], &["10.1.0.0/16"]);
    for (address, is_in) in [
        ("10.0.0.1", true),
        ("10.1.2.3", false),
        ("::ffff:10.0.0.1", true),
        ("::ffff:10.1.0.1", false),
        ("192.0.2.1", false),
        ("2001:db8::1", true),
        ("2001:db9::1", false),
    ] {
        assert_eq!(some.lets_in(Some(address.parse().unwrap())), is_in, "{address}");
    }
    assert!(!some.lets_in(None));
    assert!(access(&["unix", "10.0.0.0/8"], &[]).lets_in(None));
    assert!(access(&["unix"], &[]).lets_in(None) && !access(&["unix"], &[]).lets_in(Some("10.0.0.1".parse().unwrap())));
    assert!(access(&[], &["10.0.0.0/8"]).lets_in(None));
    assert!(!access(&[], &["unix"]).lets_in(None));
}

fn to(text: &str, authority: &str, target: &str) -> Option<String> {
    let request =
        Request { authority: authority.as_bytes().to_vec(), target: target.as_bytes().to_vec(), ..Request::default() };
    Location::new(text, 308).of(&request).map(|to| String::from_utf8(to).unwrap())
}

#[test]
fn places_are_replaced() {
    for (text, target, expected) in [
        ("https://www.example.org{uri}", "/a?b=c", "https://www.example.org/a?b=c"),
        ("https://www.example.org{path}", "/a?b=c", "https://www.example.org/a"),
        ("/find?q={query}", "/a?b=c&d", "/find?q=b=c&d"),
        ("https://{host}/new{path}", "/a", "https://shop.example/new/a"),
        ("/new{uri}", "/a?", "/new/a?"),
        ("{uri}", "/a", "/a"),
        ("/fixed", "/a", "/fixed"),
        ("https://www.example.org{uri}", "*", "https://www.example.org/"),
    ] {
        assert_eq!(to(text, "Shop.Example:8080", target).as_deref(), Some(expected), "{text} {target}");
    }
}

#[test]
fn a_redirect_never_leads_where_the_client_says() {
    for target in ["//evil.net/x", "///evil.net", "/\\evil.net", "\\/evil.net", "/\\/evil.net"] {
        for text in ["{uri}", "{path}"] {
            let to = to(text, "shop.example", target).unwrap();
            assert!(to.starts_with('/') && !to[1..].starts_with(['/', '\\']), "{text} {target}: {to}");
        }
    }
    for host in ["", "evil.net/@", "a b", "x\r\ny"] {
        assert_eq!(to("https://{host}/", host, "/"), None, "{host:?}");
    }
}

proptest! {
    #[test]
    fn the_host_is_the_one_that_is_written(target in "/[!-~]{0,40}") {
        let to = to("https://www.example.org{uri}", "x", &target).unwrap();
        prop_assert_eq!(to, format!("https://www.example.org{target}"));
    }
}
