use unladen_trace::DnsSeen;

use super::*;
use crate::finding::Rule;
use crate::rules::tests::testing::{self, NGINX, PERL, PHP, PYTHON};
use crate::rules::{dns_again, unpooled_connection, unpooled_tls};

fn seen(group: usize, protocol: Protocol, peer: &str, name: Option<&str>) -> ConnectionSeen {
    let handshakes = if protocol == Protocol::Tls { testing::counted(1, 3_000_000) } else { Default::default() };
    ConnectionSeen {
        group,
        peer: peer.into(),
        local: peer.starts_with("127.") || peer.starts_with("[::1]"),
        protocol,
        server_name: name.map(Into::into),
        opened: testing::counted(1, 1_000_000),
        exchanges: testing::counted(1, 1_000_000),
        handshakes,
        ..ConnectionSeen::default()
    }
}

fn asks(group: usize, kind: &str, name: &str) -> DnsSeen {
    let counted = testing::counted(1, 1_000);
    DnsSeen { group, name: name.into(), kind: kind.into(), server: "10.0.0.2:53".into(), counted }
}

fn page(connections: Vec<ConnectionSeen>, dns: Vec<DnsSeen>) -> Evidence {
    Evidence { connections, dns, ..testing::lean() }
}

/// The lines of each listener.
fn lines(evidence: &Evidence) -> Vec<String> {
    Outbounds::of(evidence).all.iter().map(|outbound| outbound.lines().join("\n")).collect()
}

fn only(evidence: &Evidence) -> String {
    let [one] = &lines(evidence)[..] else { panic!("{:?}", lines(evidence)) };
    one.clone()
}

#[test]
fn a_listener_is_a_few_lines() {
    let opened = testing::file(PHP, FileCall::Open, "/etc/app/\"ca\".pem", FileOutcome::Found, 1);
    let service = seen(PHP, Protocol::Tls, "10.0.0.5:9243", Some("api.example"));
    let evidence = Evidence { files: vec![opened], ..page(vec![service], Vec::new()) };
    assert_eq!(
        only(&evidence),
        r#"[[outbound]]
name = "api.example-9243"
listen = "127.0.0.1:18443"
upstream = "https://api.example:9243"
ca = "/etc/app/\"ca\".pem""#
    );
}

#[test]
fn usual_ports_are_left_out_and_addresses_are_verified_as_such() {
    let tls = |peer, name| only(&page(vec![seen(PHP, Protocol::Tls, peer, name)], Vec::new()));
    assert!(tls("10.0.0.5:443", Some("api.example")).ends_with("upstream = \"https://api.example\""));
    let of_address = |address: &str| {
        format!("upstream = \"https://{address}\"\nserver_name = \"{}\"", address.trim_matches(['[', ']']))
    };
    for (peer, address) in [
        ("10.0.0.5:443", "10.0.0.5"),
        ("[2001:db8::5]:443", "[2001:db8::5]"),
        // As a socket for both families has it.
        ("[::ffff:10.0.0.5]:443", "10.0.0.5"),
    ] {
        assert!(tls(peer, None).ends_with(&of_address(address)), "{}", tls(peer, None));
        // Names that no URL takes.
        for odd in ["", "a b", "a..b", "10.0.0.7", "a.1", "a\"b", "é.example", "a/b"] {
            assert!(tls(peer, Some(odd)).ends_with(&of_address(address)), "{odd}: {}", tls(peer, Some(odd)));
        }
    }
    let plain = only(&page(vec![seen(PHP, Protocol::Http, "[2001:db8::5]:80", None)], Vec::new()));
    assert_eq!(
        plain,
        "[[outbound]]\nname = \"2001-db8--5\"\nlisten = \"127.0.0.1:18080\"\nupstream = \"http://[2001:db8::5]\""
    );
}

#[test]
fn where_a_proxy_for_http_is_of_no_use_there_is_none() {
    for (group, protocol, peer) in [
        (NGINX, Protocol::Tls, "10.0.0.5:443"),
        (PHP, Protocol::Http, "127.0.0.1:8081"),
        (PHP, Protocol::Redis, "10.0.0.5:6379"),
        (PHP, Protocol::Postgres, "10.0.0.5:5432"),
        (PHP, Protocol::Tls, "10.0.0.5:636"),
        (PHP, Protocol::Tls, "10.0.0.5:0"),
        (PHP, Protocol::Tls, "[fe80::1%2]:443"),
        (PHP, Protocol::Tls, "/run/app.sock"),
        (PHP, Protocol::Tls, "unknown"),
    ] {
        assert_eq!(lines(&page(vec![seen(group, protocol, peer, None)], Vec::new())), [""; 0], "{peer}");
    }
}

#[test]
fn systems_own_authorities_are_not_named() {
    let service = || seen(PHP, Protocol::Tls, "10.0.0.5:443", Some("api.example"));
    let with = |path: &str| Evidence {
        files: vec![testing::file(PHP, FileCall::Open, path, FileOutcome::Found, 1)],
        ..page(vec![service()], Vec::new())
    };
    for path in SYSTEM.iter().copied().chain(["ca.pem"]) {
        assert!(!only(&with(path)).contains("ca ="), "{path}");
    }
    assert!(only(&with("/etc/ssl/ours.pem")).ends_with("ca = \"/etc/ssl/ours.pem\""));
}

#[test]
fn ports_in_use_and_names_given_are_left_alone() {
    let tls = |peer, name| seen(PHP, Protocol::Tls, peer, Some(name));
    let evidence = page(
        vec![
            tls("10.0.0.5:443", "a.example"),
            // The same port there and another address: not the same service.
            tls("10.0.0.6:443", "b.example"),
            tls("10.0.0.5:8443", "a.example"),
            tls("10.0.0.5:9000", "a.example-8443"),
            // An earlier fix.
            seen(PHP, Protocol::Http, "127.0.0.1:18444", None),
        ],
        Vec::new(),
    );
    let listeners = lines(&evidence).join("\n");
    let of = |key: &str| listeners.lines().filter_map(|line| line.strip_prefix(key)).collect::<Vec<_>>();
    assert_eq!(of("listen = "), ["18443", "18445", "18446", "18447"].map(|port| format!("\"127.0.0.1:{port}\"")));
    assert_eq!(of("name = "), ["\"a.example\"", "\"a.example-8443\"", "\"a.example-8443-9000\"", "\"b.example\""]);
    let mut names = BTreeSet::new();
    assert_eq!([(); 3].map(|()| unique("a".into(), &mut names)), ["a", "a-2", "a-3"]);
    let long = format!("{}.example", "a".repeat(60));
    let evidence = page(vec![tls("10.0.0.5:8443", &long)], Vec::new());
    assert!(only(&evidence).contains(&format!("name = \"{}-8443\"", "a".repeat(53))), "{}", only(&evidence));
}

/// Several groups that call a service share its listener, unless they trust others.
#[test]
fn one_listener_for_all_who_call_the_same() {
    let service = |group| seen(group, Protocol::Tls, "10.0.0.5:443", Some("api.example"));
    let mut evidence = page(vec![service(PHP), service(PERL)], Vec::new());
    assert_eq!(lines(&evidence).len(), 1);
    evidence.files = vec![testing::file(PERL, FileCall::Open, "/etc/app/ca.pem", FileOutcome::Found, 1)];
    let listeners = lines(&evidence).join("\n");
    assert!(
        listeners.contains("name = \"api.example\"") && listeners.contains("name = \"api.example-2\""),
        "{listeners}"
    );
    let outbounds = Outbounds::of(&evidence);
    let of_perl = outbounds.at(&evidence.connections[1]).unwrap().lines();
    assert!(of_perl.contains(&"ca = \"/etc/app/ca.pem\"".to_owned()), "{of_perl:?}");
}

#[test]
fn what_is_called_in_clear_has_the_one_name_that_is_asked() {
    let http = |peer| seen(PHP, Protocol::Http, peer, None);
    let upstream = |evidence: &Evidence| lines(evidence)[0].rsplit_once("upstream = ").unwrap().1.to_owned();
    let dns = || vec![asks(PHP, "A", "rates.example"), asks(PHP, "AAAA", "rates.example")];
    let named = "\"http://rates.example:8081\"";
    assert_eq!(upstream(&page(vec![http("10.0.0.5:8081")], dns())), named);
    // Searched with the machine's own domain first.
    let mut searched = dns();
    searched.push(asks(PHP, "A", "rates.example.here.example"));
    assert_eq!(upstream(&page(vec![http("10.0.0.5:8081")], searched)), named);
    // The other name is a service's that tells its own.
    let mut others = dns();
    others.push(asks(PHP, "A", "api.example"));
    let api = || seen(PHP, Protocol::Tls, "10.0.0.6:443", Some("api.example"));
    let both = lines(&page(vec![http("10.0.0.5:8081"), api()], others.clone())).join("\n");
    assert!(both.contains(named) && both.contains("\"https://api.example\""), "{both}");

    let address = "\"http://10.0.0.5:8081\"";
    // Whose the other name is, is not known; nor whose this one is.
    assert_eq!(upstream(&page(vec![http("10.0.0.5:8081")], others)), address);
    let database = seen(PHP, Protocol::Postgres, "10.0.0.7:5432", None);
    assert_eq!(upstream(&page(vec![http("10.0.0.5:8081"), database], dns())), address);
    // Another group's.
    assert_eq!(upstream(&page(vec![http("10.0.0.5:8081")], vec![asks(PERL, "A", "rates.example")])), address);
    // No host's address.
    assert_eq!(upstream(&page(vec![http("10.0.0.5:8081")], vec![asks(PHP, "MX", "rates.example")])), address);
    // The server of names is none that is called.
    let resolver = seen(PHP, Protocol::Dns, "10.0.0.2:53", None);
    assert_eq!(upstream(&page(vec![http("10.0.0.5:8081"), resolver], dns())), named);
}

/// Three rules of one page: whatever they print goes into one file.
#[test]
fn what_rules_print_of_a_service_is_the_same() {
    let evidence = page(
        vec![
            seen(PHP, Protocol::Tls, "10.0.0.5:443", Some("api.example")),
            seen(PHP, Protocol::Http, "10.0.0.6:8081", None),
            seen(PYTHON, Protocol::Tls, "10.0.0.7:443", None),
        ],
        vec![asks(PHP, "A", "api.example"), asks(PHP, "A", "rates.example")],
    );
    let of = |rule: &Rule| -> BTreeSet<String> {
        let fixes = rule.check(&evidence).into_iter().map(|found| found.fix);
        let fixes = fixes.inspect(|fix| {
            assert_eq!(fix.file.as_deref(), Some("unladen.toml"), "{fix:?}");
            assert_eq!(fix.commands, ["unladen serve --config unladen.toml"]);
        });
        let text = fixes.flat_map(|fix| fix.lines).collect::<Vec<_>>().join("\n");
        text.split("[[outbound]]\n").skip(1).map(|lines| lines.trim_end().to_owned()).collect()
    };
    let (tls, plain, dns) = (of(&unpooled_tls::RULE), of(&unpooled_connection::RULE), of(&dns_again::RULE));
    assert_eq!((tls.len(), plain.len(), dns.len()), (2, 1, 2));
    let all: BTreeSet<String> = tls.union(&plain).cloned().collect();
    assert!(dns.is_subset(&all), "{dns:?}\n{all:?}");
}
