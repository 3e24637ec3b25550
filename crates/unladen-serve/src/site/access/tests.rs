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
