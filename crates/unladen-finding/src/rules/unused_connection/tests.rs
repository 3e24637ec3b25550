use unladen_trace::{Series, State};

use super::*;
use crate::rules::tests::testing::{self, PHP};

fn seen(unused: Series) -> ConnectionSeen {
    ConnectionSeen {
        group: PHP,
        peer: "127.0.0.1:8081".into(),
        local: true,
        protocol: Protocol::Silent,
        opened: testing::counted(1, 200_000),
        unused,
        ..ConnectionSeen::default()
    }
}

fn page(seen: ConnectionSeen) -> Evidence {
    Evidence { connections: vec![seen], ..testing::lean() }
}

#[test]
fn a_connection_for_nothing_is_found() {
    let found = testing::only(&RULE, &page(seen(testing::each(1))));
    assert_eq!(found.summary, "1 connection per request to 127.0.0.1:8081, opened and closed unused");
    assert!((testing::part(&found).value - 0.01).abs() < 1e-9);
    assert!(found.fix.advice.starts_with("for the developers of the application: open it when it is first used"));
}

#[test]
fn its_part_of_what_was_opened_is_its_share() {
    let database = ConnectionSeen {
        peer: "/run/postgresql/.s.PGSQL.5432".into(),
        protocol: Protocol::Postgres,
        opened: testing::counted(2, 200_000),
        ..seen(testing::each(1))
    };
    let found = testing::only(&RULE, &page(database));
    assert_eq!(
        found.summary,
        "1 connection per request to /run/postgresql/.s.PGSQL.5432 (PostgreSQL), opened and closed unused"
    );
    assert!((testing::part(&found).value - 0.01).abs() < 1e-9);
}

#[test]
fn seldom_or_asked_is_silent() {
    testing::silent(&RULE, &page(seen(Series::sum([&testing::once_in(4), &testing::once_in(4)]))));
    testing::only(&RULE, &page(seen(testing::once_in(2))));
    testing::silent(&RULE, &page(seen(Series::default())));
    let probe = ConnectionSeen { peer: "10.0.0.5:0".into(), ..seen(testing::each(1)) };
    testing::silent(&RULE, &page(probe));
    testing::silent(&RULE, &Evidence { state: State::Fresh, ..page(seen(testing::each(1))) });
    testing::silent(&RULE, &testing::lean());
    testing::silent(&RULE, &Evidence::default());
}

#[test]
fn what_the_c_library_opens_to_look_up_a_user_is_not_the_pages() {
    let name_service = ConnectionSeen { peer: "/var/run/nscd/socket".into(), ..seen(testing::each(1)) };
    testing::silent(&RULE, &page(name_service));
}

#[test]
fn tls_that_was_asked_for_in_vain_was_no_cause_of_a_second_connection() {
    let twice = ConnectionSeen {
        peer: "127.0.0.1:5432".into(),
        protocol: Protocol::Postgres,
        opened: testing::counted(2, 200_000),
        ..seen(testing::each(1))
    };
    let found = testing::only(&RULE, &page(twice.clone()));
    assert!(found.fix.advice.contains("sslmode=disable"), "{}", found.fix.advice);
    // Nothing follows in clear; and by a Unix socket nobody asks for TLS.
    let alone = ConnectionSeen { opened: testing::counted(1, 200_000), ..twice.clone() };
    let socket = ConnectionSeen { peer: "/run/postgresql/.s.PGSQL.5432".into(), ..twice };
    for seen in [alone, socket] {
        let found = testing::only(&RULE, &page(seen));
        assert!(!found.fix.advice.contains("sslmode"), "{}", found.fix.advice);
    }
}

/// Half of the login's time was told of the connection that had none, and half of the one that had it.
#[test]
fn the_time_of_a_login_is_not_of_the_connection_that_asks_nothing() {
    let twice = ConnectionSeen {
        peer: "127.0.0.1:5432".into(),
        protocol: Protocol::Postgres,
        opened: testing::counted(2, 200_000),
        logins: testing::counted(1, 4_000_000),
        ..seen(testing::each(1))
    };
    let found = testing::only(&RULE, &page(twice.clone()));
    assert!((testing::part(&found).value - 0.01).abs() < 1e-9, "{:?}", testing::part(&found));
    let used = testing::only(&super::super::database_reconnect::RULE, &page(twice.clone()));
    assert!((testing::part(&used).value - 0.21).abs() < 1e-9, "{:?}", testing::part(&used));
    // A client that logs in and asks nothing has its login's time.
    let alone = ConnectionSeen { opened: testing::counted(1, 200_000), ..twice };
    assert!((testing::part(&testing::only(&RULE, &page(alone))).value - 0.21).abs() < 1e-9);
}
