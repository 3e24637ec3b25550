//! PostgreSQL.

use std::sync::LazyLock;
use std::time::Duration;

use unladen_fleet::{BusError, BusSettings, BusUrl, Read, open};
use unladen_tests::{Authority, Postgres};

use crate::contract::{Contract, LEASE, end, kept, on_one_thread, records, refusal, texts};

static SERVER: LazyLock<&Postgres> = LazyLock::new(|| {
    kept(|| {
        let server = Postgres::start();
        server.sql("grant create on database postgres to asker");
        server
    })
});

fn contract(fleet: &'static str) -> Contract {
    Contract { url: SERVER.url("right"), fleet, ca: None }
}

#[test]
fn records_come_in_order() {
    on_one_thread(contract("order").records_come_in_order());
}

#[test]
fn no_record_is_passed_over() {
    on_one_thread(contract("many").no_record_is_passed_over());
}

#[test]
fn who_waits_is_told() {
    on_one_thread(contract("wait").who_waits_is_told());
}

#[test]
fn members_come_and_go() {
    on_one_thread(contract("members").members_come_and_go());
}

#[test]
fn what_is_trimmed_is_lost() {
    on_one_thread(contract("trim").what_is_trimmed_is_lost());
}

#[test]
fn another_history_is_told() {
    on_one_thread(contract("history").another_history_is_told());
}

#[test]
fn a_list_that_was_lost_alone_is_another() {
    // A server of its own: all fleets share the tables.
    let server = Postgres::start();
    server.sql("grant create on database postgres to asker");
    let contract = Contract { url: server.url("right"), fleet: "list", ca: None };
    on_one_thread(contract.a_list_that_was_lost_alone_is_another(|| server.sql("truncate unladen_fleet.member")));
}

/// A copy of the server's files that is put back has the same tables, and draws the same ids again.
#[test]
fn an_id_that_is_drawn_again_is_another_record() {
    let contract = contract("again");
    on_one_thread(async {
        let (one, two) = (contract.bus("one"), contract.bus("two"));
        let start = end(&*two).await;
        one.publish(&texts("one", 1..=2)).await.expect("it takes them");
        let read = records(two.read_on(Some(&start), Duration::from_secs(9)).await);
        let last = read.last().expect("both").0.clone();
        SERVER.sql("delete from unladen_fleet.record where fleet = 'again' and id = 2");
        SERVER.sql("update unladen_fleet.fleet set last = 1 where name = 'again'");
        let written = one.publish(&texts("one", 3..=3)).await.expect("it takes it").remove(0);
        assert_eq!(written, last, "the test is none: the position is another");
        assert!(matches!(two.confirm(&last, LEASE).await, Err(BusError::Answer(_))));
        assert!(matches!(two.read_on(Some(&last), Duration::ZERO).await, Ok(Read::Lost { .. })));
    });
}

#[test]
fn tables_that_are_made_again_are_others() {
    // A server of its own: all fleets share the tables.
    let server = Postgres::start();
    server.sql("grant create on database postgres to asker");
    let contract = Contract { url: server.url("right"), fleet: "made", ca: None };
    on_one_thread(async {
        let (one, two) = (contract.bus("one"), contract.bus("two"));
        let start = end(&*two).await;
        one.publish(&texts("one", 1..=1)).await.expect("it takes it");
        server.sql("drop schema unladen_fleet cascade");
        // Who finds them gone fails, and the next makes them.
        assert!(two.read_on(Some(&start), Duration::ZERO).await.is_err());
        assert!(matches!(two.read_on(Some(&start), Duration::ZERO).await, Ok(Read::Lost { .. })));
        let end = end(&*two).await;
        assert!(!end.has_reached(&start) && end.index() == 0);
        server.sql("truncate unladen_fleet.fleet");
        assert!(two.read_on(Some(&end), Duration::ZERO).await.is_err());
        assert!(matches!(two.read_on(Some(&end), Duration::ZERO).await, Ok(Read::Lost { .. })));
    });
}

#[test]
fn what_somebody_else_wrote_is_handed_on_as_it_is() {
    let contract = contract("other");
    on_one_thread(async {
        let bus = contract.bus("one");
        let start = end(&*bus).await;
        SERVER.sql(
            "alter table unladen_fleet.record drop constraint record_body_check; \
             insert into unladen_fleet.record (fleet, id, mark, body) values ('other', 1, 7, 'no JSON'), \
             ('other', 2, 7, repeat('a', 30000)); update unladen_fleet.fleet set last = 2 where name = 'other'",
        );
        let bodies: Vec<_> =
            records(bus.read_on(Some(&start), Duration::ZERO).await).into_iter().map(|read| read.1).collect();
        assert_eq!(bodies, [b"no JSON".to_vec(), Vec::new()]);
        // Two of three: whoever removed the one in between may have removed a purge.
        SERVER.sql(
            "insert into unladen_fleet.record (fleet, id, mark, body) values ('other', 3, 7, ''), ('other', 5, 7, ''); \
             update unladen_fleet.fleet set last = 5 where name = 'other'",
        );
        assert!(matches!(bus.read_on(Some(&start), Duration::ZERO).await, Ok(Read::Lost { .. })));
    });
}

#[test]
fn a_role_that_may_not_is_told_what_it_lacks() {
    // The tables are there.
    on_one_thread(async { drop(end(&*contract("grants").bus("one")).await) });
    SERVER.sql("create role nobody login password 'wr@ng'");
    let as_nobody = |password: &str| {
        let url = SERVER.url("right").replace("asker:right", &format!("nobody:{password}"));
        Contract { url, fleet: "grants", ca: None }
    };
    on_one_thread(async {
        let refused = as_nobody("wr%40ng").bus("one").read_on(None, Duration::ZERO).await.expect_err("it may not");
        assert!(matches!(refused, BusError::Refused(_)) && refused.to_string().contains("fleet.md"), "{refused}");
        let unknown = as_nobody("open").bus("one").read_on(None, Duration::ZERO).await.expect_err("it may not");
        assert!(matches!(unknown, BusError::Refused(_)), "{unknown}");
        assert!(!format!("{refused} {unknown} {:?}", as_nobody("wr%40ng").bus("one")).contains("ng@"));
    });
}

/// Of several servers in the URL it is the one that writes, and another once that has gone and another took over.
#[test]
fn the_server_that_has_taken_over_is_found() {
    let (mut standby, mut primary) = (Postgres::start(), Postgres::start());
    for server in [&standby, &primary] {
        server.sql("grant create on database postgres to asker");
    }
    standby.become_standby();
    let hosts = format!("@{},{}/", standby.address(), primary.address());
    let url = primary.url("right").replace(&format!("@{}/", primary.address()), &hosts);
    let both = Contract { url: format!("{url}?target_session_attrs=read-write"), fleet: "two", ca: None };
    on_one_thread(async {
        let (one, two) = (both.bus("one"), both.bus("two"));
        let start = end(&*two).await;
        let last = one.publish(&texts("one", 1..=1)).await.expect("it takes it").remove(0);
        assert_eq!(records(two.read_on(Some(&start), Duration::from_secs(9)).await).len(), 1);
        // The standby alone takes nothing, and says what to do.
        let alone = Contract { url: standby.url("right"), fleet: "two", ca: None }.bus("alone");
        let refused = alone.publish(&texts("alone", 1..=1)).await.expect_err("it is a standby");
        assert!(matches!(&refused, BusError::Refused(words) if words.contains("name the primary")), "{refused}");
        primary.become_standby();
        let nobody = one.publish(&texts("one", 2..=2)).await;
        let nobody = if nobody.is_err() { one.publish(&texts("one", 2..=2)).await } else { nobody };
        let nobody = nobody.expect_err("neither writes");
        assert!(nobody.to_string().contains("the last of these hosts"), "{nobody}");
        standby.sql("do $$ begin perform pg_promote(); end $$");
        let mut read = two.read_on(Some(&last), Duration::ZERO).await;
        while read.is_err() {
            read = two.read_on(Some(&last), Duration::ZERO).await;
        }
        assert!(matches!(&read, Ok(Read::Lost { end, .. }) if !end.has_reached(&last)), "{read:?}");
        one.publish(&texts("one", 3..=3)).await.expect("it takes it");
    });
}

/// `ca` was looked at by nobody where the URL asked for no TLS; and what was wrong was told without what to do.
#[test]
fn over_tls_it_is_verified_whom_the_server_is() {
    let (authority, other) = (Authority::new(), Authority::new());
    let server = Postgres::start();
    server.sql("grant create on database postgres to asker");
    server.speak_tls(&authority.certificate("127.0.0.1"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, authority: &Authority| {
        std::fs::write(folder.path().join(name), authority.pem()).expect("a file of our own");
        Some(folder.path().join(name))
    };
    let (right, wrong) = (file("right.pem", &authority), file("wrong.pem", &other));
    let at = |server: &Postgres, host: &str, mode: &str| {
        format!("postgres://asker:right@{host}:{}/postgres{mode}", server.address().port())
    };
    let full = "?sslmode=verify-full";
    on_one_thread(async {
        let url = at(&server, "127.0.0.1", full);
        Contract { url, fleet: "tls", ca: right.clone() }.records_come_in_order().await;
        for (url, ca, expected) in [
            (
                at(&server, "127.0.0.1", full),
                &wrong,
                "no trusted authority signed its certificate; set `ca` to the file of its authority",
            ),
            (
                at(&server, "127.0.0.1", full),
                &None,
                "no trusted authority signed its certificate; set `ca` to the file of its authority",
            ),
            (at(&server, "localhost", full), &right, "is for 127.0.0.1, not for localhost; use such a name"),
            (at(&server, "127.0.0.1", ""), &None, "add `sslmode=verify-full`"),
            (at(&SERVER, "127.0.0.1", full), &right, "set `ssl = on` there"),
        ] {
            let bus = Contract { url, fleet: "tls", ca: ca.clone() }.bus("one");
            let refused = refusal(&*bus).await;
            let said = refused.to_string();
            assert!(said.contains(expected) && !said.contains("right@"), "{expected}: {said}");
            assert_eq!(matches!(refused, BusError::Refused(_)), !expected.contains("ssl = on"), "{refused:?}");
        }
    });
    for mode in ["", "?sslmode=disable", "?sslmode=prefer"] {
        let url = BusUrl::parse(&at(&server, "127.0.0.1", mode)).expect("a URL");
        let (fleet, node) = ("tls".to_owned(), "one".to_owned());
        let said = open(&BusSettings { url, ca: right.clone(), fleet, node, keep: 1000 }).expect_err(mode).to_string();
        assert!(said.contains("`ca` is for TLS: add `sslmode=verify-full`"), "{mode}: {said}");
    }
}
