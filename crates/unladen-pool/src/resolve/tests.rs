use std::fs;

use super::*;
use crate::tests::testing::{Dnsmasq, file};

const ABSENT: &str = "/nonexistent/file";

fn settings() -> ResolveSettings {
    ResolveSettings { timeout: Duration::from_secs(10), ..ResolveSettings::default() }
}

fn asking(server: &Dnsmasq) -> Resolver {
    Resolver::of_servers(ABSENT, vec![server.address])
}

async fn lookup(resolver: &Resolver, host: &str) -> Result<Answer, ResolveError> {
    resolver.lookup(host, 443, &settings()).await
}

fn addresses(text: &str) -> Vec<SocketAddr> {
    let mut all: Vec<_> =
        text.split_whitespace().map(|address| SocketAddr::new(address.parse().unwrap(), 443)).collect();
    all.sort_unstable();
    all
}

#[tokio::test]
async fn addresses_and_localhost_need_nobody() {
    let resolver = Resolver::of_files(ABSENT, ABSENT);
    for (host, expected) in [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::7", "2001:db8::7"),
        ("localhost", "::1 127.0.0.1"),
        ("LocalHost.", "::1 127.0.0.1"),
        ("wiki.localhost", "::1 127.0.0.1"),
    ] {
        let answer = lookup(&resolver, host).await.unwrap();
        assert_eq!(
            answer,
            Answer { addresses: addresses(expected), ttl: settings().max_ttl, partial: false },
            "{host}"
        );
    }
    let said = lookup(&resolver, "wiki.example").await.unwrap_err();
    assert!(matches!(said, ResolveError::NoServers { .. }) && said.to_string().contains(ABSENT), "{said}");
}

#[tokio::test]
async fn the_hosts_file_comes_before_dns_and_is_read_again() {
    let server = Dnsmasq::start("192.0.2.1 wiki.example search.example");
    let hosts = file("192.0.2.9 wiki.example\n2001:db8::9 WIKI.example localhost");
    let resolver = Resolver::of_servers(hosts.path(), vec![server.address]);
    let answer = lookup(&resolver, "wiki.example.").await.unwrap();
    assert_eq!(answer, Answer { addresses: addresses("192.0.2.9 2001:db8::9"), ttl: HOSTS_TTL, partial: false });
    assert_eq!(lookup(&resolver, "localhost").await.unwrap().addresses, addresses("2001:db8::9"), "for localhost too");
    assert_eq!(lookup(&resolver, "search.example").await.unwrap().addresses, addresses("192.0.2.1"));
    assert_eq!(server.asked("A", "wiki.example"), 0);
    fs::write(hosts.path(), "").unwrap();
    assert_eq!(lookup(&resolver, "wiki.example").await.unwrap().addresses, addresses("192.0.2.1"));
}

#[tokio::test]
async fn both_families_are_asked_for_and_their_life_is_bounded() {
    let hosts = "192.0.2.1 wiki.example v4.example\n192.0.2.2 wiki.example\n2001:db8::1 wiki.example v6.example";
    let server = Dnsmasq::start_with(hosts, &["--host-record=long.example,192.0.2.3,1000"]);
    let resolver = asking(&server);
    let answer = lookup(&resolver, "wiki.example").await.unwrap();
    let expected = addresses("2001:db8::1 192.0.2.1 192.0.2.2");
    assert_eq!(answer, Answer { addresses: expected, ttl: Duration::from_secs(1), partial: false });
    assert_eq!(lookup(&resolver, "v4.example").await.unwrap().addresses, addresses("192.0.2.1"));
    assert_eq!(lookup(&resolver, "V6.EXAMPLE").await.unwrap().addresses, addresses("2001:db8::1"));

    assert_eq!(lookup(&resolver, "long.example").await.unwrap().ttl, settings().max_ttl);
    let within = ResolveSettings { min_ttl: Duration::from_secs(30), max_ttl: Duration::from_secs(60), ..settings() };
    assert_eq!(resolver.lookup("v4.example", 1, &within).await.unwrap().ttl, within.min_ttl);
    assert_eq!(resolver.lookup("long.example", 1, &within).await.unwrap().ttl, within.max_ttl);
}

#[tokio::test]
async fn each_lookup_asks() {
    let server = Dnsmasq::start_with("", &["--host-record=long.example,192.0.2.3,1000"]);
    let resolver = asking(&server);
    for _ in 0..3 {
        lookup(&resolver, "long.example").await.unwrap();
        lookup(&resolver, "absent.example").await.unwrap_err();
    }
    assert_eq!([server.asked("A", "long.example"), server.asked("A", "absent.example")], [3, 3]);
}

#[tokio::test]
async fn many_addresses_come_over_tcp() {
    let hosts: String = (0..200).map(|host| format!("192.0.2.{host} many.example\n")).collect();
    let server = Dnsmasq::start(&hosts);
    assert_eq!(lookup(&asking(&server), "many.example").await.unwrap().addresses.len(), 200);
}

#[tokio::test]
async fn what_was_wrong_is_told_apart() {
    let mut server = Dnsmasq::start_with("", &["--txt-record=text.example,hello"]);
    let resolver = asking(&server);
    let absent = lookup(&resolver, "absent.example").await;
    assert!(matches!(absent, Err(ResolveError::NotFound { .. })), "{absent:?}");
    let addressless = lookup(&resolver, "text.example").await;
    assert!(matches!(addressless, Err(ResolveError::NoAddress { .. })), "{addressless:?}");
    let refused = lookup(&resolver, "absent.test").await;
    assert!(matches!(refused, Err(ResolveError::Failed { .. })), "{refused:?}");
    for bad in ["", ".", "a..b", &"a".repeat(64), &"a.".repeat(200), "ä.example"] {
        let said = lookup(&resolver, bad).await;
        assert!(matches!(said, Err(ResolveError::BadName { .. } | ResolveError::Failed { .. })), "{bad}: {said:?}");
    }

    server.stop();
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for (servers, after) in [(vec![server.address], 1), (vec![silent.local_addr().unwrap()], 1)] {
        let hasty = ResolveSettings { timeout: Duration::from_secs(after), ..settings() };
        let resolver = Resolver::of_servers(ABSENT, servers);
        let began = std::time::Instant::now();
        let said = resolver.lookup("wiki.example", 443, &hasty).await;
        assert!(matches!(said, Err(ResolveError::Timeout { .. } | ResolveError::Failed { .. })), "{said:?}");
        assert!(began.elapsed() < Duration::from_secs(3));
    }
}

#[tokio::test]
async fn a_server_that_is_silent_does_not_keep_another_from_answering() {
    let server = Dnsmasq::start("192.0.2.1 wiki.example");
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let resolver = Resolver::of_servers(ABSENT, vec![silent.local_addr().unwrap(), server.address]);
    assert_eq!(lookup(&resolver, "wiki.example").await.unwrap().addresses, addresses("192.0.2.1"));
}

#[tokio::test]
async fn one_family_that_failed_is_no_family_without_addresses() {
    // It has no other server to ask for the other family, and refuses.
    let server = Dnsmasq::start_with("", &["--address=/half.test/192.0.2.1"]);
    let answer = lookup(&asking(&server), "half.test").await.unwrap();
    assert!(answer.partial);
    assert_eq!(answer.addresses, addresses("192.0.2.1"));
}

#[test]
fn a_resolv_conf_that_changes_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let conf = folder.path().join("resolv.conf");
    let resolver = Resolver::of_files(ABSENT, &conf);
    assert!(matches!(resolver.dns(&settings()), Err(ResolveError::NoServers { .. })));
    fs::write(&conf, "# nobody\n").unwrap();
    let said = resolver.dns(&settings()).unwrap_err();
    assert!(matches!(said, ResolveError::Unusable { .. }) && said.to_string().contains("resolv.conf"), "{said}");
    fs::write(&conf, "nameserver 127.0.0.1\n").unwrap();
    let first = resolver.dns(&settings()).unwrap();
    assert!(Arc::ptr_eq(&first, &resolver.dns(&settings()).unwrap()));
    fs::write(&conf, "nameserver 127.0.0.2\n").unwrap();
    assert!(!Arc::ptr_eq(&first, &resolver.dns(&settings()).unwrap()));
}
