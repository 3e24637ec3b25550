use proptest::prelude::*;
use unladen_serve_config::{Config, Machine};

use super::*;

/// Sites of these names; the first of a `*` alone takes all others.
fn hosts(sites: &[(&str, &[&str], bool)]) -> Hosts<String> {
    let mut text = String::new();
    for (name, names, is_default) in sites {
        text +=
            &format!("[[site]]\nname = \"{name}\"\nlisten = \"127.0.0.1:8080\"\nupstream = \"http://127.0.0.1:1\"\n");
        if !names.is_empty() {
            text += &format!("hosts = {names:?}\n");
        }
        text += &format!("default = {is_default}\n");
    }
    let config = Config::parse(&text, "x.toml".as_ref(), "/".as_ref(), &Machine).unwrap();
    Hosts::new(config.settings.site.iter().map(|site| (site, site.proxy.upstream.name.clone())))
}

fn find<'h>(hosts: &'h Hosts<String>, authority: &str) -> Option<&'h str> {
    hosts.find(authority.as_bytes()).map(String::as_str)
}

#[test]
fn the_most_specific_name_wins() {
    let hosts = hosts(&[
        ("wild", &["*.example.org"], false),
        ("deep", &["*.shop.example.org"], false),
        ("own", &["shop.example.org", "[::1]", "127.0.0.1"], false),
    ]);
    for (authority, site) in [
        ("shop.example.org", Some("own")),
        ("SHOP.Example.ORG:8443", Some("own")),
        ("shop.example.org.", Some("own")),
        ("shop.example.org.:80", Some("own")),
        ("a.shop.example.org", Some("deep")),
        ("b.a.shop.example.org", Some("deep")),
        ("other.example.org", Some("wild")),
        ("a.b.example.org", Some("wild")),
        ("[::1]", Some("own")),
        ("[::1]:8080", Some("own")),
        ("127.0.0.1:8080", Some("own")),
        ("example.org", None),
        (".example.org", None),
        ("xexample.org", None),
        ("example.org.evil.net", None),
        ("", None),
        (":80", None),
    ] {
        assert_eq!(find(&hosts, authority), site, "{authority}");
    }
}

#[test]
fn a_default_takes_what_nobody_has() {
    let named = hosts(&[("a", &["a.example"], false), ("b", &["b.example"], true)]);
    assert_eq!(find(&named, "c.example"), Some("b"));
    assert_eq!(find(&named, ""), Some("b"));
    assert_eq!(find(&named, "a.example"), Some("a"));
    assert_eq!(find(&named, &"x".repeat(5000)), Some("b"));
    let rest = hosts(&[("a", &["a.example"], false), ("rest", &[], false)]);
    assert_eq!(find(&rest, "c.example"), Some("rest"));
}

proptest! {
    /// However a name is spelt, it is the same site; and what is no such name is never its.
    #[test]
    fn spelling_makes_no_difference(
        label in "[a-z0-9]{1,12}", upper in any::<bool>(), dot in any::<bool>(), port in proptest::option::of(1u16..)
    ) {
        let hosts = hosts(&[("wild", &["*.example.org"], false)]);
        let mut authority = format!("{label}.example.org");
        if upper { authority.make_ascii_uppercase(); }
        if dot { authority.push('.'); }
        if let Some(port) = port { authority += &format!(":{port}"); }
        prop_assert_eq!(find(&hosts, &authority), Some("wild"));
        prop_assert_eq!(find(&hosts, &format!("{label}example.org")), None);
    }

    #[test]
    fn any_bytes_find_a_site_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let hosts = hosts(&[("wild", &["*.example.org"], false)]);
        let found = hosts.find(&bytes).is_some();
        let lower = bytes.to_ascii_lowercase();
        let has_name = lower.windows(12).any(|part| part == b".example.org");
        prop_assert!(!found || has_name);
    }
}
