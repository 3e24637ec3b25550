use unladen_trace::{GroupSeen, Series, State};

use super::*;
use crate::rules::tests::testing::{self, NGINX, PERL, PHP, PYTHON};

fn seen(group: usize, protocol: Protocol) -> ConnectionSeen {
    ConnectionSeen {
        group,
        peer: "10.0.0.5:8081".into(),
        protocol,
        opened: testing::counted(3, 1_000_000),
        exchanges: testing::counted(4, 2_000_000),
        reused: testing::each(1),
        ..ConnectionSeen::default()
    }
}

fn page(seen: ConnectionSeen) -> Evidence {
    Evidence { connections: vec![seen], ..testing::lean() }
}

#[test]
fn a_connection_each_is_found() {
    let found = testing::only(&RULE, &page(seen(PHP, Protocol::Http)));
    assert_eq!(
        found.summary,
        "3 new connections per request to 10.0.0.5:8081 (HTTP), 1 round trip each; 25 % of exchanges use a kept \
         connection"
    );
    assert_eq!(found.group, "www-data php-fpm8.2");
    assert!((testing::part(&found).value - 0.15).abs() < 1e-9);
    assert!(found.fix.advice.contains("call http://127.0.0.1:18080 instead of http://10.0.0.5:8081 (in `upstream`"));
    assert!(found.fix.advice.contains("curl_share_init_persistent"), "{}", found.fix.advice);
    assert_eq!(found.fix.file.as_deref(), Some("unladen.toml"));
    assert_eq!(
        found.fix.lines,
        [
            "[[outbound]]",
            "name = \"10.0.0.5-8081\"",
            "listen = \"127.0.0.1:18080\"",
            "upstream = \"http://10.0.0.5:8081\""
        ]
    );
    assert_eq!(found.fix.commands, ["unladen serve --config unladen.toml"]);
    assert_eq!(found.check_again, "unladen weigh http://127.0.0.1/page");
}

#[test]
fn one_is_no_plural() {
    let one = ConnectionSeen {
        opened: testing::counted(1, 1_000_000),
        exchanges: testing::counted(1, 2_000_000),
        reused: Series::default(),
        ..seen(PHP, Protocol::Redis)
    };
    let found = testing::only(&RULE, &page(one));
    assert_eq!(
        found.summary,
        "1 new connection per request to 10.0.0.5:8081 (Redis), 1 round trip each; 0 % of exchanges use a kept \
         connection"
    );
    assert!(found.fix.advice.contains("pconnect"));
}

#[test]
fn nginx_has_lines() {
    let found = testing::only(&RULE, &page(seen(NGINX, Protocol::Http)));
    assert_eq!(found.fix.file.as_deref(), Some("/etc/nginx/conf.d/unladen-kept-10-0-0-5-8081.conf"));
    assert_eq!(
        found.fix.lines[..3],
        ["upstream kept-10-0-0-5-8081 {", "    server 10.0.0.5:8081;", "    keepalive 16;"]
    );
    assert_eq!(found.fix.commands, ["nginx -t && nginx -s reload"]);
}

#[test]
fn perl_and_programs_without_a_name_have_a_proxy_and_python_keeps_them_itself() {
    let advice = |group| testing::only(&RULE, &page(seen(group, Protocol::Http))).fix;
    let perl = advice(PERL);
    assert!(perl.advice.contains("keep_alive => 16") && perl.lines.len() == 4, "{perl:?}");
    let python = advice(PYTHON);
    assert!(python.advice.contains("requests.Session") && python.lines.is_empty(), "{python:?}");
    let mut evidence = page(seen(0, Protocol::Http));
    evidence.groups[0] = GroupSeen { name: "app tool".into(), exe: Some("/usr/bin/tool".into()), ..Default::default() };
    let other = testing::only(&RULE, &evidence).fix;
    assert!(other.advice.contains("in a pool as large as its threads") && other.lines.len() == 4, "{other:?}");
}

/// The fix of unpooled-tls is called over such connections: another proxy would not spare them.
#[test]
fn on_this_machine_a_proxy_spares_nothing() {
    let here = |group| ConnectionSeen { peer: "127.0.0.1:18443".into(), local: true, ..seen(group, Protocol::Http) };
    let php = testing::only(&RULE, &page(here(PHP))).fix;
    assert!(php.advice.contains("CURLOPT_UNIX_SOCKET_PATH") && php.lines.is_empty(), "{php:?}");
    let perl = testing::only(&RULE, &page(here(PERL))).fix;
    assert!(perl.advice.contains("keep_alive => 16") && perl.lines.is_empty(), "{perl:?}");
}

#[test]
fn below_half_a_request_is_silent() {
    let of = |count: Series| ConnectionSeen {
        opened: testing::counted_of(count.clone(), 1_000_000, count),
        ..seen(PHP, Protocol::Http)
    };
    let below = Series::sum([&testing::once_in(4), &testing::once_in(4)]);
    testing::silent(&RULE, &page(of(below)));
    testing::only(&RULE, &page(of(testing::once_in(2))));
    // Filled once, and kept.
    testing::silent(&RULE, &page(of(testing::once(1_000))));
}

#[test]
fn what_others_find_is_silent_here() {
    for protocol in [Protocol::Postgres, Protocol::Mysql, Protocol::FastCgi, Protocol::Tls, Protocol::Silent] {
        testing::silent(&RULE, &page(seen(PHP, protocol)));
    }
    let http = || seen(PHP, Protocol::Http);
    for peer in ["/run/app.sock", "@app:1", "an unnamed Unix socket", "unknown"] {
        testing::silent(&RULE, &page(ConnectionSeen { peer: peer.into(), ..http() }));
    }
    testing::silent(&RULE, &page(ConnectionSeen { handshakes: testing::counted(3, 9), ..http() }));
    testing::silent(&RULE, &page(ConnectionSeen { unused: testing::each(3), ..http() }));
    testing::silent(&RULE, &Evidence { state: State::Fresh, ..page(http()) });
    testing::silent(&RULE, &testing::lean());
    testing::silent(&RULE, &Evidence::default());
}

/// nginx keeps none to uwsgi, whatever is set.
#[test]
fn nginx_was_told_to_keep_connections_that_it_cannot_keep() {
    let found = testing::only(&RULE, &page(seen(NGINX, Protocol::Other)));
    assert!(found.fix.advice.contains("uwsgi_pass unix:") && found.fix.lines.is_empty(), "{:?}", found.fix);
}

/// An application behind gRPC was said to speak uwsgi.
#[test]
fn any_other_protocol_behind_nginx_was_taken_for_uwsgi() {
    let advice = testing::only(&RULE, &page(seen(NGINX, Protocol::Other))).fix.advice;
    assert!(advice.starts_with("if it speaks uwsgi or SCGI: "), "{advice}");
    assert!(advice.contains("If it speaks gRPC: grpc_pass to an upstream with keepalive"), "{advice}");
}

/// With the lines for nginx alone, Gunicorn's sync workers went on closing each connection.
#[test]
fn nginx_kept_connections_that_gunicorn_closed() {
    let evidence = page(seen(NGINX, Protocol::Http));
    assert!(testing::only(&RULE, &evidence).fix.advice.contains("-k gthread"));
    let mut without = evidence;
    without.groups[PYTHON] =
        GroupSeen { name: "app tool".into(), exe: Some("/usr/bin/tool".into()), ..Default::default() };
    assert!(!testing::only(&RULE, &without).fix.advice.contains("gthread"));
}
