use proptest::prelude::*;

use super::*;

fn trust(by: ForwardedBy) -> Trust {
    let proxies = ["10.0.0.0/8", "127.0.0.1/32", "2001:db8:1::/48"].map(|net| net.parse().unwrap()).to_vec();
    Trust::new(&TrustedSettings { proxies, unix: true, header: by, proxy_protocol: false })
}

fn fields(lines: &[(&str, &str)]) -> Fields {
    let mut fields = Fields::default();
    lines.iter().for_each(|(name, value)| fields.push(name.as_bytes(), value.as_bytes()));
    fields
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn the_last_that_is_not_trusted_is_the_client() {
    let cases = [
        // Who is not trusted is the client, whatever it says.
        ("9.9.9.9", "1.1.1.1", "9.9.9.9"),
        ("10.0.0.1", "1.1.1.1", "1.1.1.1"),
        ("::ffff:10.0.0.1", "::ffff:1.1.1.1", "1.1.1.1"),
        ("2001:db8:1::5", "2001:db8:2::7", "2001:db8:2::7"),
        ("10.0.0.1", "6.6.6.6, 1.1.1.1", "1.1.1.1"),
        ("10.0.0.1", "6.6.6.6, 1.1.1.1, 10.0.0.2", "1.1.1.1"),
        ("10.0.0.1", "6.6.6.6,1.1.1.1 ,, 10.0.0.2,127.0.0.1 ,", "1.1.1.1"),
        // All are trusted: the first asked.
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", "1.1.1.1:5000", "1.1.1.1"),
        ("10.0.0.1", "[2001:db8::9]:80", "2001:db8::9"),
        ("10.0.0.1", "[2001:db8::9]", "2001:db8::9"),
        ("10.0.0.1", "2001:db8::9", "2001:db8::9"),
        // Nobody says: whoever passed it on.
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "1.1.1.1, unknown", "10.0.0.1"),
        ("10.0.0.1", "1.1.1.1, unknown, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "1.1.1.1 2.2.2.2", "10.0.0.1"),
        ("10.0.0.1", "1.1.1", "10.0.0.1"),
        ("10.0.0.1", "01.1.1.1", "10.0.0.1"),
        ("10.0.0.1", "1.1.1.1:99999", "10.0.0.1"),
        ("10.0.0.1", "fe80::1%eth0", "10.0.0.1"),
        ("10.0.0.1", "[fe80::1%2]:80", "10.0.0.1"),
        ("10.0.0.1", "\"1.1.1.1\"", "10.0.0.1"),
        ("10.0.0.1", "1.1.1.1\u{0}", "10.0.0.1"),
    ];
    let trust = trust(ForwardedBy::XForwardedFor);
    for (peer, header, client) in cases {
        let fields = fields(&[("X-Forwarded-For", header), ("Forwarded", "for=8.8.8.8")]);
        assert_eq!(trust.asker(&fields, Some(ip(peer))).address, Some(ip(client)), "{peer}: {header}");
    }
}

#[test]
fn lines_are_one_list() {
    let trust = trust(ForwardedBy::XForwardedFor);
    let peer = Some(ip("10.0.0.1"));
    let two = fields(&[("x-forwarded-for", "6.6.6.6"), ("a", "b"), ("X-FORWARDED-FOR", "1.1.1.1, 10.0.0.2")]);
    assert_eq!(trust.asker(&two, peer).address, Some(ip("1.1.1.1")));
    let mut many = vec![("x-forwarded-for", "6.6.6.6"); 100];
    many.extend([("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "10.0.0.2")]);
    assert_eq!(trust.asker(&fields(&many), peer).address, Some(ip("1.1.1.1")));
    // Nobody has so many proxies of his own.
    let endless = fields(&[("x-forwarded-for", &format!("1.1.1.1{}", ", 10.0.0.2".repeat(1000)))]);
    assert_eq!(trust.asker(&endless, peer).address, Some(ip("10.0.0.2")));
    let long = fields(&[("x-forwarded-for", &format!("{}, 1.1.1.1", "x".repeat(100_000)))]);
    assert_eq!(trust.asker(&long, peer).address, Some(ip("1.1.1.1")));
    let long = fields(&[("x-forwarded-for", &"x".repeat(100_000))]);
    assert_eq!(trust.asker(&long, peer).address, peer);
}

#[test]
fn forwarded_as_of_rfc_7239() {
    let cases: [(&str, &str, Option<bool>); 23] = [
        ("for=1.1.1.1", "1.1.1.1", None),
        ("For=\"1.1.1.1:4711\";Proto=HTTPS;by=10.0.0.1", "1.1.1.1", Some(true)),
        ("proto=http; for=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17", Some(false)),
        ("for=\"[2001:db8:cafe::17]\"", "2001:db8:cafe::17", None),
        ("for=6.6.6.6;proto=http, for=1.1.1.1;proto=https, for=10.0.0.9;proto=http", "1.1.1.1", Some(true)),
        ("for=\"1.1.1.1:_port\"", "1.1.1.1", None),
        ("for=\"[2001:db8::1]:_port\"", "2001:db8::1", None),
        ("for=unknown;proto=https", "10.0.0.1", None),
        ("for=_hidden", "10.0.0.1", None),
        ("for=_hidden, for=10.0.0.9;proto=https", "10.0.0.9", Some(true)),
        ("proto=https", "10.0.0.1", None),
        ("for=1.1.1.1;for=2.2.2.2", "10.0.0.1", None),
        ("for=1.1.1.1 2.2.2.2", "10.0.0.1", None),
        ("for", "10.0.0.1", None),
        ("for=\"1.1.1.1", "10.0.0.1", None),
        ("for=1.1.1.1;;proto=https", "1.1.1.1", Some(true)),
        ("for=1.1.1.1;proto=ftp", "1.1.1.1", None),
        // Separators within quotes are none, and quotes that a client leaves open are to the left of what is read.
        ("for=1.1.1.1;ext=\"a, for=6.6.6.6\"", "1.1.1.1", None),
        ("for=1.1.1.1;ext=\"a; for=6.6.6.6\"", "1.1.1.1", None),
        ("for=1.1.1.1;ext=\"a\\\", for=6.6.6.6\"", "1.1.1.1", None),
        ("for=\"6.6.6.6, for=1.1.1.1", "1.1.1.1", None),
        ("for=6.6.6.6\", for=1.1.1.1;proto=https", "1.1.1.1", Some(true)),
        ("", "10.0.0.1", None),
    ];
    let trust = trust(ForwardedBy::Forwarded);
    for (header, client, is_https) in cases {
        let fields = fields(&[("forwarded", header), ("x-forwarded-for", "8.8.8.8"), ("x-forwarded-proto", "https")]);
        let expected = Asker { address: Some(ip(client)), is_https };
        assert_eq!(trust.asker(&fields, Some(ip("10.0.0.1"))), expected, "{header}");
    }
}

#[test]
fn the_scheme_is_what_the_clients_own_proxy_says() {
    let cases = [
        ("10.0.0.1", "1.1.1.1", "https", Some(true)),
        ("10.0.0.1", "1.1.1.1", "HTTP", Some(false)),
        ("10.0.0.1", "1.1.1.1", "", None),
        ("10.0.0.1", "1.1.1.1", "gopher", None),
        ("9.9.9.9", "1.1.1.1", "https", None),
        ("10.0.0.1", "", "https", Some(true)),
        // One for each proxy; that to the left is the client's own word.
        ("10.0.0.1", "6.6.6.6, 1.1.1.1", "https, http", Some(false)),
        ("10.0.0.1", "1.1.1.1, 10.0.0.2", "https, http", Some(true)),
        // One proxy alone says it.
        ("10.0.0.1", "1.1.1.1, 10.0.0.3, 10.0.0.2", "https", Some(true)),
    ];
    let trust = trust(ForwardedBy::XForwardedFor);
    for (peer, addresses, scheme, expected) in cases {
        let fields = fields(&[("x-forwarded-for", addresses), ("x-forwarded-proto", scheme)]);
        assert_eq!(trust.asker(&fields, Some(ip(peer))).is_https, expected, "{peer}: {addresses}: {scheme}");
    }
}

#[test]
fn unix_sockets_are_trusted_if_that_is_said() {
    let fields = fields(&[("x-forwarded-for", "1.1.1.1")]);
    assert_eq!(trust(ForwardedBy::XForwardedFor).asker(&fields, None).address, Some(ip("1.1.1.1")));
    let nobody = Trust::new(&TrustedSettings::default());
    assert_eq!(nobody.asker(&fields, None).address, None);
    assert!(!nobody.is_trusted_peer(None) && !nobody.is_trusted(ip("127.0.0.1")));
}

proptest! {
    /// Whatever a client sends: behind what its proxy has added, it changes nothing.
    #[test]
    fn what_a_client_says_itself_changes_nothing(said in "[ -~]{0,200}", forwarded: bool) {
        let (by, name, added) = match forwarded {
            true => (ForwardedBy::Forwarded, "forwarded", "for=1.1.1.1;proto=https"),
            false => (ForwardedBy::XForwardedFor, "x-forwarded-for", "1.1.1.1"),
        };
        let fields = fields(&[(name, &format!("{said}, {added}")), ("x-forwarded-proto", "https")]);
        let asker = trust(by).asker(&fields, Some(ip("10.0.0.1")));
        prop_assert_eq!(asker, Asker { address: Some(ip("1.1.1.1")), is_https: Some(true) });
    }

    #[test]
    fn no_bytes_make_it_panic(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 0..12), forwarded: bool) {
        let (by, name) = if forwarded { (ForwardedBy::Forwarded, "forwarded") } else { (ForwardedBy::XForwardedFor, "x-forwarded-for") };
        let mut fields = Fields::default();
        lines.iter().for_each(|line| fields.push(name.as_bytes(), line));
        prop_assert!(trust(by).asker(&fields, Some(ip("10.0.0.1"))).address.is_some());
    }

    /// Each way to write an address is read as that address.
    #[test]
    fn addresses_are_read_as_they_are_written(bits: u128, is_v4: bool, port in 1_u16..) {
        let address = if is_v4 { IpAddr::V4((bits as u32).into()) } else { IpAddr::V6(bits.into()) };
        let read = |text: String| address_of(text.as_bytes());
        let expected = Some(address.to_canonical());
        prop_assert_eq!(read(address.to_string()), expected);
        prop_assert_eq!(read(SocketAddr::new(address, port).to_string()), expected);
        if !is_v4 {
            prop_assert_eq!(read(format!("[{address}]")), expected);
            prop_assert_eq!(read(format!("[{address}]:_x")), expected);
        }
    }
}
