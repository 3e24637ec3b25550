//! Valkey, or Redis.

use std::sync::LazyLock;
use std::time::Duration;

use unladen_fleet::{BusError, Read};
use unladen_tests::{Authority, Valkey};

use crate::contract::{Contract, LEASE, end, kept, on_one_thread, records, refusal, texts, until_it_is_back};

static SERVER: LazyLock<&Valkey> = LazyLock::new(|| kept(Valkey::start));

fn contract(fleet: &'static str) -> Contract {
    Contract { url: Valkey::url_at(SERVER.address()), fleet, ca: None }
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

/// As an engine does whose memory is full, with `maxmemory-policy allkeys-lru`.
#[test]
fn a_list_that_was_lost_alone_is_another() {
    on_one_thread(contract("list").a_list_that_was_lost_alone_is_another(|| {
        assert_eq!(SERVER.say("DEL unladen:{list}:nodes").as_deref(), Some(":1\r\n"));
    }));
}

/// The page's list of commands is all that a user needs, with a database other than 0.
#[test]
fn a_user_needs_no_more_than_the_page_says() {
    let page = include_str!("../../../docs/reference/fleet.md");
    let commands = page.lines().map(str::trim).find(|line| line.starts_with("+eval")).expect("the page has it");
    let made = SERVER.say(&format!("ACL SETUSER narrow on >n4rrow ~unladen:* {commands}"));
    assert_eq!(made.as_deref(), Some(""), "it is no such command");
    let url = format!("valkey://narrow:n4rrow@{}/3", SERVER.address());
    let contract = Contract { url, fleet: "narrow", ca: None };
    on_one_thread(async {
        contract.records_come_in_order().await;
        contract.members_come_and_go().await;
    });
}

/// Whoever wrote there by mistake kept all purges back for good.
#[test]
fn what_is_no_stream_gives_way_to_another_history() {
    let contract = contract("foreign");
    on_one_thread(async {
        let (one, two) = (contract.bus("one"), contract.bus("two"));
        for (number, command) in (1..).zip([
            "SET unladen:{foreign}:purges x",
            "XADD unladen:{foreign}:purges 7-7 r x",
            "XADD unladen:{foreign}:purges 18446744073709551615-18446744073709551615 r x",
        ]) {
            let start = end(&*two).await;
            SERVER.say("DEL unladen:{foreign}:purges");
            let said = SERVER.say(command).expect("it answers");
            assert!(!said.starts_with('-'), "{said}");
            let refused = one.publish(&texts("one", number..=number)).await.expect_err("the key is another's");
            assert!(matches!(refused, BusError::Refused(_)), "{refused}");
            one.publish(&texts("one", number..=number)).await.expect("it takes it, in another history");
            assert!(matches!(two.read_on(Some(&start), Duration::ZERO).await, Ok(Read::Lost { .. })), "{command}");
        }
    });
}

/// Whoever wrote there by mistake kept all nodes cut off for good.
#[test]
fn a_count_that_is_none_gives_way_to_another_history() {
    let contract = contract("counted");
    on_one_thread(async {
        let (one, two) = (contract.bus("one"), contract.bus("two"));
        for count in ["-5", "x", "nan", "1.5", "inf", "1e300", "9007199254740992"] {
            let start = end(&*two).await;
            let said = SERVER.say(&format!("HSET unladen:{{counted}}:about count {count}"));
            assert_eq!(said.as_deref(), Some(":0\r\n"), "{count}");
            let read = two.read_on(Some(&start), Duration::ZERO).await;
            assert!(matches!(&read, Ok(Read::Lost { end, .. }) if end.index() == 0), "{count}: {read:?}");
            let last = one.publish(&texts("one", 1..=2)).await.expect("it takes them").pop().expect("two");
            assert_eq!(last.index(), 2, "{count}");
            one.confirm(&last, LEASE).await.expect("it is in");
        }
    });
}

/// A server that was a replica in between is the same process, and has the same keys, but not all records.
#[test]
fn a_server_that_was_a_replica_in_between_is_another() {
    let (server, other) = (Valkey::start(), Valkey::start());
    let contract = Contract { url: Valkey::url_at(server.address()), fleet: "promoted", ca: None };
    on_one_thread(async {
        let (one, two) = (contract.bus("one"), contract.bus("two"));
        let start = end(&*two).await;
        let last = one.publish(&texts("one", 1..=2)).await.expect("it takes them").pop().expect("two");
        one.confirm(&last, LEASE).await.expect("it is in");
        assert_eq!(records(two.read_on(Some(&start), Duration::from_secs(9)).await).len(), 2);
        // The other has all of it but the last record.
        let master = |server: &Valkey, of: &Valkey| {
            assert!(server.say(&format!("CONFIG SET masterauth {}", Valkey::PASSWORD)).is_some());
            assert!(server.say(&format!("REPLICAOF 127.0.0.1 {}", of.address().port())).is_some());
            until_it_is_back(|| {
                server.say("INFO replication").is_some_and(|told| told.contains("master_link_status:up"))
            });
        };
        master(&other, &server);
        assert!(other.say("REPLICAOF NO ONE").is_some());
        assert_eq!(other.say("XDEL unladen:{promoted}:purges 2-0").as_deref(), Some(":1\r\n"));
        assert_eq!(other.say("HSET unladen:{promoted}:about count 1").as_deref(), Some(":0\r\n"));
        master(&server, &other);
        // As a replica it is not asked, whoever has a connection.
        assert!(two.read_on(Some(&last), Duration::ZERO).await.is_err());
        assert!(one.members().await.is_err() && one.confirm(&last, LEASE).await.is_err());
        assert!(server.say("REPLICAOF NO ONE").is_some());
        let mut read = two.read_on(Some(&last), Duration::ZERO).await;
        while read.is_err() {
            read = two.read_on(Some(&last), Duration::ZERO).await;
        }
        let Ok(Read::Lost { end, whole_for, .. }) = &read else { panic!("{read:?}") };
        assert!(end.epoch() != last.epoch() && end.index() == 1 && whole_for.is_zero(), "{read:?}");
    });
}

#[test]
fn a_server_that_was_started_again_is_another() {
    let mut server = Valkey::start();
    let contract = Contract { url: Valkey::url_at(server.address()), fleet: "again", ca: None };
    on_one_thread(async {
        let (one, two) = (contract.bus("one"), contract.bus("two"));
        let start = end(&*two).await;
        one.publish(&texts("one", 1..=2)).await.expect("it takes them");
        let last = records(two.read_on(Some(&start), Duration::from_secs(9)).await).pop().expect("both").0;
        server.restart();
        until_it_is_back(|| server.say("PING").is_some());
        // Whoever had a connection finds out that it is over.
        let mut read = two.read_on(Some(&last), Duration::ZERO).await;
        while read.is_err() {
            read = two.read_on(Some(&last), Duration::ZERO).await;
        }
        assert!(matches!(&read, Ok(Read::Lost { end, .. }) if !end.has_reached(&last)), "{read:?}");
    });
}

/// `rediss://` and `valkeys://`: the certificate is verified, by the authorities that are named.
#[test]
fn over_tls_it_is_verified_whom_the_engine_is() {
    let (authority, other) = (Authority::new(), Authority::new());
    let server = Valkey::start_with_tls(&authority.certificate("127.0.0.1"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, authority: &Authority| {
        std::fs::write(folder.path().join(name), authority.pem()).expect("a file of our own");
        Some(folder.path().join(name))
    };
    let (right, wrong) = (file("right.pem", &authority), file("wrong.pem", &other));
    let port = server.tls_address().port();
    let at = |scheme: &str, host: &str| format!("{scheme}://:{}@{host}:{port}/0", Valkey::PASSWORD);
    let good = |scheme: &str, fleet| Contract { url: at(scheme, "127.0.0.1"), fleet, ca: right.clone() };
    on_one_thread(async {
        good("rediss", "tls").records_come_in_order().await;
        good("rediss", "tls-wait").who_waits_is_told().await;
        good("valkeys", "tls-members").members_come_and_go().await;
        // What is wrong, and what is said of it.
        for (scheme, host, ca, expected) in [
            (
                "rediss",
                "127.0.0.1",
                &wrong,
                "no trusted authority signed its certificate; set `ca` to the file of its authority",
            ),
            (
                "valkeys",
                "127.0.0.1",
                &None,
                "no trusted authority signed its certificate; set `ca` to the file of its authority",
            ),
            ("rediss", "localhost", &right, "its certificate is for 127.0.0.1, not for localhost; use such a name"),
            ("redis", "127.0.0.1", &None, "if it speaks TLS there, write `valkeys://`"),
        ] {
            let bus = Contract { url: at(scheme, host), fleet: "tls", ca: ca.clone() }.bus("one");
            let refused = bus.read_on(None, Duration::ZERO).await.expect_err("it is not to be trusted");
            let said = refused.to_string();
            assert!(said.contains(expected) && !said.contains(Valkey::PASSWORD), "{scheme} {host}: {said}");
            let is_of_certificates = expected.contains("its certificate");
            assert_eq!(matches!(refused, BusError::Refused(_)), is_of_certificates, "{refused:?}");
            assert!(!is_of_certificates || said.contains("`ca`"), "{said}");
        }
        // Where it does not speak TLS, it takes what begins a handshake for a command, and waits for its end.
        let url = format!("rediss://:{}@{}/0", Valkey::PASSWORD, server.address());
        let silent = Contract { url, fleet: "tls", ca: right.clone() }.bus("one");
        let said = refusal(&*silent).await.to_string();
        assert!(said.contains("no answer to the TLS handshake") && said.contains("use `valkey://`"), "{said}");
        // What Valkey and Redis want unless they are told otherwise.
        assert_eq!(server.say("CONFIG SET tls-auth-clients yes").as_deref(), Some(""));
        let refused = good("valkeys", "tls").bus("one").read_on(None, Duration::ZERO).await.expect_err("it wants more");
        assert!(matches!(&refused, BusError::Refused(words) if words.contains("`tls-auth-clients no`")), "{refused}");
    });
}
