use unladen_trace::{FileCall, FileOutcome, Protocol, State};

use super::*;
use crate::rules::tests::testing::{self, NGINX, PHP};

fn seen(count: Series) -> ConnectionSeen {
    ConnectionSeen {
        group: PHP,
        peer: "10.0.0.5:9243".into(),
        protocol: Protocol::Tls,
        server_name: Some("api.example".into()),
        opened: testing::counted_of(count.clone(), 1_000_000, count.clone()),
        handshakes: testing::counted_of(count.clone(), 3_000_000, count),
        ..ConnectionSeen::default()
    }
}

fn page(connections: Vec<ConnectionSeen>) -> Evidence {
    Evidence { connections, ..testing::lean() }
}

#[test]
fn a_handshake_each_is_found() {
    let found = testing::only(&RULE, &page(vec![seen(testing::each(1))]));
    assert_eq!(
        found.summary,
        "1 new TLS connection per request to 10.0.0.5:9243 (api.example), 2 round trips each (3 with TLS 1.2)"
    );
    // 1 ms to connect and 3 ms of handshake, of 20 ms.
    assert!((testing::part(&found).value - 0.2).abs() < 1e-9);
    assert_eq!(found.fix.file.as_deref(), Some("unladen.toml"));
    assert_eq!(
        found.fix.lines,
        [
            "[[outbound]]",
            "name = \"api.example-9243\"",
            "listen = \"127.0.0.1:18443\"",
            "upstream = \"https://api.example:9243\""
        ]
    );
    assert!(found.fix.advice.contains("call http://127.0.0.1:18443 instead of https://api.example:9243"));
    assert!(found.fix.advice.contains("curl_share_init_persistent"));
    assert!(!found.fix.advice.contains("server_name"));
    assert_eq!(found.fix.commands, ["unladen serve --config unladen.toml"]);
}

#[test]
fn addresses_of_one_name_are_one_service() {
    let at = |peer: &str| ConnectionSeen { peer: peer.into(), ..seen(testing::once_in(4)) };
    testing::silent(&RULE, &page(vec![at("10.0.0.5:443"), at("10.0.0.6:443")]));
    let found = testing::only(&RULE, &page(vec![at("10.0.0.5:443"), at("10.0.0.6:443"), at("10.0.0.7:443")]));
    assert!(found.summary.contains("to 10.0.0.5:443 and 2 more (api.example)"), "{}", found.summary);
    assert_eq!(found.items.len(), 3);
    assert_eq!(found.fix.lines.last().unwrap(), "upstream = \"https://api.example\"");
}

#[test]
fn two_services_have_two_ports() {
    let other = ConnectionSeen { server_name: Some("b.example".into()), ..seen(testing::each(1)) };
    let found = RULE.check(&page(vec![seen(testing::each(1)), other]));
    assert!(found[0].fix.lines.contains(&"listen = \"127.0.0.1:18443\"".to_owned()));
    assert!(found[1].fix.lines.contains(&"listen = \"127.0.0.1:18444\"".to_owned()));
}

#[test]
fn nginx_keeps_them_itself() {
    let nginx = ConnectionSeen { group: NGINX, ..seen(testing::each(1)) };
    let mut evidence = page(vec![nginx]);
    let found = testing::only(&RULE, &evidence);
    assert_eq!(found.fix.file.as_deref(), Some("/etc/nginx/conf.d/unladen-tls-api-example.conf"));
    assert_eq!(
        found.fix.lines,
        ["upstream tls-api-example {", "    server api.example:9243;", "    keepalive 16;", "}"]
    );
    assert_eq!(found.fix.commands, ["nginx -t && nginx -s reload"]);
    for setting in [
        "proxy_pass https://tls-api-example;",
        "proxy_http_version 1.1;",
        "proxy_set_header Connection \"\";",
        "proxy_ssl_name api.example;",
        "proxy_ssl_protocols TLSv1.2 TLSv1.3;",
        "proxy_ssl_verify on;",
        "proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;",
    ] {
        assert!(found.fix.advice.contains(setting), "{setting}: {}", found.fix.advice);
    }
    assert!(!found.fix.advice.contains("Host") && !found.fix.advice.contains("NAME"));

    evidence.connections[0].server_name = None;
    let found = testing::only(&RULE, &evidence);
    assert!(found.fix.advice.contains("Replace NAME with") && found.fix.advice.contains("proxy_ssl_name NAME;"));
    assert!(found.fix.lines.contains(&"    server 10.0.0.5:9243;".to_owned()));
}

#[test]
fn without_a_name_the_certificate_is_for_the_address() {
    let found = testing::only(&RULE, &page(vec![ConnectionSeen { server_name: None, ..seen(testing::each(1)) }]));
    assert_eq!(found.fix.lines[3..], ["upstream = \"https://10.0.0.5:9243\"", "server_name = \"10.0.0.5\""]);
    assert!(found.fix.advice.contains("server_name must match"), "{}", found.fix.advice);
}

#[test]
fn what_speaks_no_http_is_nothing_for_a_proxy() {
    for (peer, expected) in [("10.0.0.5:636", " (port 636 is LDAP's)"), ("/run/app.sock", "")] {
        let found = testing::only(&RULE, &page(vec![ConnectionSeen { peer: peer.into(), ..seen(testing::each(1)) }]));
        assert_eq!(found.fix.lines, [""; 0]);
        assert!(found.fix.advice.ends_with(&format!("as large as its threads{expected}")), "{}", found.fix.advice);
    }
}

#[test]
fn what_is_kept_or_of_another_rule_is_silent() {
    let below = Series::sum([&testing::once_in(4), &testing::once_in(4)]);
    testing::silent(&RULE, &page(vec![seen(below)]));
    testing::only(&RULE, &page(vec![seen(testing::once_in(2))]));
    let each = || seen(testing::each(1));
    testing::silent(&RULE, &page(vec![ConnectionSeen { protocol: Protocol::Postgres, ..each() }]));
    testing::silent(&RULE, &page(vec![ConnectionSeen { handshakes: Counted::default(), ..each() }]));
    testing::silent(&RULE, &page(vec![ConnectionSeen { unused: testing::each(1), ..each() }]));
    testing::silent(&RULE, &Evidence { state: State::Fresh, ..page(vec![each()]) });
    testing::silent(&RULE, &testing::lean());
    testing::silent(&RULE, &Evidence::default());
}

/// The subject's service has a certificate of an authority of its own: with the system's, there was no answer.
#[test]
fn the_authority_that_the_page_trusts_was_not_in_the_lines() {
    let mut evidence = page(vec![seen(testing::each(1))]);
    let opened = |path| testing::file(PHP, FileCall::Open, path, FileOutcome::Found, 1);
    evidence.files = vec![opened("/etc/app/client-key.pem"), opened("/etc/app/ca.pem")];
    assert_eq!(testing::only(&RULE, &evidence).fix.lines[4..], ["ca = \"/etc/app/ca.pem\""]);
    evidence.files.push(opened("/etc/app/other.crt"));
    assert_eq!(testing::only(&RULE, &evidence).fix.lines.len(), 4);
}

/// The beginning of a kept connection may not be seen, and so not what is spoken in it.
#[test]
fn a_port_of_a_database_was_to_be_called_by_http() {
    for (port, spoken) in [(5432, "PostgreSQL"), (6432, "PostgreSQL"), (3306, "MySQL")] {
        let at = ConnectionSeen { peer: format!("10.0.0.5:{port}"), server_name: None, ..seen(testing::each(1)) };
        let fix = testing::only(&RULE, &page(vec![at])).fix;
        assert!(fix.lines.is_empty() && fix.advice.contains(&format!("(port {port} is {spoken}'s)")), "{fix:?}");
    }
}
