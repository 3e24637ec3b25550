//! NATS JetStream.

use std::sync::LazyLock;
use std::time::Duration;

use unladen_fleet::{BusError, Read};
use unladen_tests::Nats;

use crate::contract::{Contract, end, kept, on_one_thread, records, texts};

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
