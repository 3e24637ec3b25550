//! Valkey, or Redis.

use std::sync::LazyLock;
use std::time::Duration;

use unladen_fleet::Read;
use unladen_tests::Valkey;

use crate::contract::{Contract, end, kept, on_one_thread, records, texts, until_it_is_back};

static SERVER: LazyLock<&Valkey> = LazyLock::new(|| kept(Valkey::start));

fn contract(fleet: &'static str) -> Contract {
    Contract { url: Valkey::url_at(SERVER.address()), fleet }
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
fn a_server_that_was_started_again_is_another() {
    let mut server = Valkey::start();
    let contract = Contract { url: Valkey::url_at(server.address()), fleet: "again" };
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
