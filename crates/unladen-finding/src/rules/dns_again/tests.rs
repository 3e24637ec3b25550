use unladen_trace::{ConnectionSeen, Protocol, Series};

use super::*;
use crate::rules::tests::testing::{self, PHP};

fn seen(kind: &str, counted: Counted) -> DnsSeen {
    DnsSeen { group: PHP, name: "api.example".into(), kind: kind.into(), server: "10.0.0.2:53".into(), counted }
}

fn page(dns: Vec<DnsSeen>) -> Evidence {
    Evidence { dns, ..testing::lean() }
}

#[test]
fn questions_of_each_request_are_found() {
    let each = || testing::counted(1, 500_000);
    let found = testing::only(&RULE, &page(vec![seen("A", each()), seen("AAAA", each())]));
    assert_eq!(found.summary, "2 DNS queries per request: api.example looked up by each");
    // 1 ms of 20.
    assert!((testing::part(&found).value - 0.05).abs() < 1e-9);
    assert_eq!(found.items.len(), 2);
    assert_eq!(found.items[0].name, "A api.example, of 10.0.0.2:53");
    assert_eq!(found.fix.file.as_deref(), Some("/etc/nscd.conf"));
}

#[test]
fn asked_again_in_a_request_says_how_often() {
    let found = testing::only(&RULE, &page(vec![seen("A", testing::counted(5, 500_000))]));
    assert_eq!(found.summary, "5 DNS queries per request: A of api.example looked up 5 times");
}

#[test]
fn every_fourth_request_that_asks_twice() {
    let twice = |requests| {
        let requests = testing::once_in(requests);
        page(vec![seen("A", testing::counted_of(requests.times(2), 500_000, requests))])
    };
    // 12 of 50 requests: 0.48 questions.
    testing::silent(&RULE, &twice(4));
    let found = testing::only(&RULE, &twice(3));
    assert_eq!(found.summary, "0.64 DNS queries per request: A of api.example looked up 2 times");
}

#[test]
fn a_cache_here_is_not_advised_again() {
    let here = DnsSeen { server: "127.0.0.53:53".into(), ..seen("A", testing::counted(1, 100_000)) };
    let found = testing::only(&RULE, &page(vec![here]));
    assert_eq!(found.fix.file, None);
    assert!(found.fix.advice.starts_with("a cache on this machine already answers"));
}

/// A service that is called by HTTPS under the name that is asked.
fn called() -> ConnectionSeen {
    ConnectionSeen {
        group: PHP,
        peer: "10.0.0.5:443".into(),
        protocol: Protocol::Tls,
        server_name: Some("api.example".into()),
        opened: testing::counted(1, 1_000_000),
        handshakes: testing::counted(1, 3_000_000),
        ..ConnectionSeen::default()
    }
}

#[test]
fn what_is_called_by_http_is_left_to_the_proxy() {
    let each = || testing::counted(1, 500_000);
    let evidence = |dns| Evidence { connections: vec![called()], ..page(dns) };
    let fix = testing::only(&RULE, &evidence(vec![seen("A", each()), seen("AAAA", each())])).fix;
    assert_eq!(fix.file.as_deref(), Some("unladen.toml"));
    assert_eq!(fix.lines.last().unwrap(), "upstream = \"https://api.example\"");
    assert_eq!(fix.lines.len(), 4);
    assert!(fix.advice.contains("call http://127.0.0.1:18443 instead of https://api.example."), "{}", fix.advice);
    assert!(fix.advice.contains("nscd"), "{}", fix.advice);
    // A cache here is not advised again, and asking it is spared too.
    let here = DnsSeen { server: "127.0.0.53:53".into(), ..seen("A", each()) };
    let fix = testing::only(&RULE, &evidence(vec![here])).fix;
    assert!(fix.file.as_deref() == Some("unladen.toml") && !fix.advice.contains("nscd"), "{fix:?}");

    // It does nothing for other names.
    let database = DnsSeen { name: "db.example".into(), ..seen("A", each()) };
    let fix = testing::only(&RULE, &evidence(vec![seen("A", each()), database])).fix;
    assert_eq!(fix.file.as_deref(), Some("/etc/nscd.conf"));
    assert!(fix.advice.contains("HTTP calls (https://api.example) can go through unladen serve"), "{fix:?}");
}

#[test]
fn what_a_cache_asks_is_silent() {
    let below = Series::sum([&testing::once_in(2), &testing::once_in(3), &testing::once_in(10)]);
    testing::silent(&RULE, &page(vec![seen("A", testing::counted_of(below.clone(), 9, below))]));
    testing::silent(&RULE, &page(vec![seen("A", testing::counted_of(testing::once(900), 9, testing::once(900)))]));
    let each = vec![seen("A", testing::counted(2, 9))];
    testing::silent(&RULE, &Evidence { state: State::Fresh, ..page(each) });
    testing::silent(&RULE, &testing::lean());
    testing::silent(&RULE, &Evidence::default());
}

/// `systemctl` was printed where no systemd runs.
#[test]
fn a_cache_is_started_as_this_machine_starts_services() {
    let mut evidence = page(vec![seen("A", testing::counted(2, 500_000))]);
    let of = |evidence: &Evidence| testing::only(&RULE, evidence).fix.commands;
    assert_eq!(of(&evidence), ["apt install nscd && systemctl restart nscd"]);
    evidence.groups[PHP].server = Some(unladen_trace::ServerSeen::default());
    assert_eq!(of(&evidence), ["apt install nscd && service nscd restart"]);
}
