//! NATS JetStream.

use std::sync::LazyLock;
use std::time::Duration;

use unladen_fleet::{BusError, Read};
use unladen_tests::{Authority, Nats};

use crate::contract::{Contract, end, kept, on_one_thread, records, refusal, texts};

static SERVER: LazyLock<&Nats> = LazyLock::new(|| kept(Nats::start));

fn contract(fleet: &'static str) -> Contract {
    Contract { url: SERVER.url(), fleet, ca: None }
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
    on_one_thread(contract("list").a_list_that_was_lost_alone_is_another(|| {
        SERVER.ask("$JS.API.STREAM.DELETE.UNLADEN_list_NODES");
    }));
}

#[test]
fn a_list_whose_words_were_removed_is_another() {
    on_one_thread(contract("words").a_list_that_was_lost_alone_is_another(|| {
        SERVER.ask("$JS.API.STREAM.PURGE.UNLADEN_words_NODES");
    }));
}

#[test]
fn a_server_that_was_started_again_has_all_and_an_empty_one_is_another() {
    let mut server = Nats::start();
    let contract = Contract { url: server.url(), fleet: "again", ca: None };
    on_one_thread(async {
        let (one, two) = (contract.bus("one"), contract.bus("two"));
        let start = end(&*two).await;
        let first = one.publish(&texts("one", 1..=1)).await.expect("it takes it").remove(0);
        one.publish(&texts("one", 2..=2)).await.expect("it takes it");
        server.restart(false);
        // Whoever had a connection finds out that it is over.
        let mut read = two.read_on(Some(&start), Duration::ZERO).await;
        while read.is_err() {
            read = two.read_on(Some(&start), Duration::ZERO).await;
        }
        assert_eq!(records(read).len(), 2);
        assert_eq!(records(two.read_on(Some(&first), Duration::ZERO).await).len(), 1);
        server.restart(true);
        let mut read = two.read_on(Some(&first), Duration::ZERO).await;
        while read.is_err() {
            read = two.read_on(Some(&first), Duration::ZERO).await;
        }
        assert!(matches!(&read, Ok(Read::Lost { end, .. }) if !end.has_reached(&first)), "{read:?}");
    });
}

#[test]
fn who_may_not_is_told_so_without_the_password() {
    let url = SERVER.url().replace("open-sesame", "guess-what");
    on_one_thread(async {
        let refused = Contract { url, fleet: "wrong", ca: None }.bus("one").read_on(None, Duration::ZERO).await;
        let refused = refused.expect_err("it may not");
        assert!(matches!(refused, BusError::Refused(_)) && !refused.to_string().contains("guess-what"), "{refused}");
    });
}

/// What was wrong with a certificate was told as an error of reading or writing, without what to do.
#[test]
fn over_tls_it_is_verified_whom_the_server_is() {
    let (authority, other) = (Authority::new(), Authority::new());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, authority: &Authority| {
        std::fs::write(folder.path().join(name), authority.pem()).expect("a file of our own");
        Some(folder.path().join(name))
    };
    let (right, wrong) = (file("right.pem", &authority), file("wrong.pem", &other));
    let good = Nats::start_with_tls(&authority.certificate("127.0.0.1"), None);
    let expired = Nats::start_with_tls(&authority.expired("127.0.0.1"), None);
    let wanting = Nats::start_with_tls(&authority.certificate("127.0.0.1"), Some(&authority.pem()));
    let at = |server: &Nats, scheme: &str, host: &str| {
        format!("{scheme}://unladen:open-sesame@{host}:{}", server.address().port())
    };
    on_one_thread(async {
        let url = at(&good, "tls", "127.0.0.1");
        Contract { url, fleet: "tls", ca: right.clone() }.records_come_in_order().await;
        for (url, ca, expected) in [
            (
                at(&good, "tls", "127.0.0.1"),
                &wrong,
                "no trusted authority signed its certificate; set `ca` to the file of its authority",
            ),
            (
                at(&good, "tls", "127.0.0.1"),
                &None,
                "no trusted authority signed its certificate; set `ca` to the file of its authority",
            ),
            // It asks for TLS, and is verified as well.
            (at(&good, "nats", "127.0.0.1"), &None, "with a `tls://` URL"),
            (at(&good, "tls", "localhost"), &right, "is for 127.0.0.1, not for localhost; use such a name"),
            (at(&expired, "tls", "127.0.0.1"), &right, "its certificate expired"),
            (at(&wanting, "tls", "127.0.0.1"), &right, "none is sent: remove `verify`"),
            (at(&SERVER, "tls", "127.0.0.1"), &right, "it does not speak TLS there: write `nats://`"),
        ] {
            let bus = Contract { url, fleet: "tls", ca: ca.clone() }.bus("one");
            let refused = refusal(&*bus).await;
            let said = refused.to_string();
            assert!(said.contains(expected) && !said.contains("open-sesame"), "{expected}: {said}");
            let is_reached = !expected.contains("does not speak TLS");
            assert_eq!(matches!(refused, BusError::Refused(_)), is_reached, "{refused:?}");
        }
    });
}

/// The server does not answer what it forbids: it was said that it did not answer in time.
#[test]
fn what_a_user_may_not_do_is_told() {
    let user = |name: &str, publish: &str| {
        format!(
            "{{ user: {name}, password: open-sesame, permissions: {{ publish: [{publish}], subscribe: [\"_INBOX.>\", \"unladen.>\"] }} }}"
        )
    };
    let users = [user("weak", "\"unladen.>\""), user("narrow", "\"$JS.API.>\", \"unladen.>\"")].join(", ");
    let server = Nats::start_with_users(&users);
    let at = |name: &str| format!("nats://{name}:open-sesame@{}", server.address());
    on_one_thread(async {
        let weak = Contract { url: at("weak"), fleet: "users", ca: None }.bus("one");
        let refused = refusal(&*weak).await;
        let said = refused.to_string();
        assert!(matches!(refused, BusError::Refused(_)), "{refused:?}");
        assert!(said.contains("$JS.API.") && said.contains("`unladen.>`") && !said.contains("open-sesame"), "{said}");
        // The page's list of subjects is all that a user needs.
        let narrow = Contract { url: at("narrow"), fleet: "users", ca: None };
        narrow.records_come_in_order().await;
        narrow.members_come_and_go().await;
    });
}
