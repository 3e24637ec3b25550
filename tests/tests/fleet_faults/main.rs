//! Five nodes share purges over an engine while nodes, the engine and the ways between are killed, stopped, cut and
//! delayed, and what the engine has is trimmed: no read that begins after a purge was confirmed by all gets what was
//! before it, and once all is well, no node has anything that was purged.
//!
//! What happens is random, by a seed that is told; `UNLADEN_SEED` repeats the choices, though not the times. The nodes
//! are processes on loopback, each with a way to the engine of its own that can be cut: so it needs no right to make
//! namespaces, and runs everywhere. One of the towns has networks of its own, whose cables are pulled: nobody is told
//! that a connection is over.
//!
//! Long: faults take their time, and so do leases.

mod faults;
mod history;
mod suffering;
mod town;
mod way;

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::scope;
use std::time::{Duration, Instant};

use faults::{Bus, Faults};
use suffering::Far;
use town::{NODES, Town};
use unladen_tests::{Ability, Nats, Postgres, Valkey, skip_without};
use way::Way;

/// Pages, each of which is changed by one thread.
const PAGES: usize = 24;
/// Threads that change and purge.
const AUTHORS: usize = 6;
/// Threads a node that read.
const READERS: usize = 2;

#[test]
fn what_was_confirmed_holds_whatever_happens_to_valkey_and_the_nodes() {
    with_valkey(400);
}

#[test]
fn what_was_confirmed_holds_whatever_happens_to_postgresql_and_the_nodes() {
    with_postgres(160);
}

#[test]
fn what_was_confirmed_holds_whatever_happens_to_nats_and_the_nodes() {
    with_nats(60);
}

#[test]
fn what_was_confirmed_holds_whatever_cable_is_pulled() {
    if skip_without(Ability::Hosts, "what_was_confirmed_holds_whatever_cable_is_pulled") {
        return;
    }
    let far = Far::start();
    let way = far.way();
    run(80, far, |pages| Town::new(pages, way));
}

#[test]
#[ignore = "it takes half an hour: `make soak`"]
fn ten_thousand_changes_hold_with_valkey() {
    with_valkey(10_000);
}

#[test]
#[ignore = "it takes minutes: `make soak`"]
fn two_thousand_changes_hold_with_postgresql() {
    with_postgres(2000);
}

#[test]
#[ignore = "it takes minutes: `make soak`"]
fn two_thousand_changes_hold_with_nats() {
    with_nats(2000);
}

fn with_valkey(changes: u64) {
    let valkey = Valkey::start();
    let address = valkey.address();
    run(changes, valkey, |pages| Town::new(pages, |_, app| Way::relayed(address, app, Valkey::url_at)));
}

fn with_postgres(changes: u64) {
    let postgres = Postgres::start();
    postgres.sql("grant create on database postgres to asker");
    let address = postgres.address();
    let url = |relay| format!("postgres://asker:right@{relay}/postgres");
    run(changes, postgres, |pages| Town::new(pages, |_, app| Way::relayed(address, app, url)));
}

fn with_nats(changes: u64) {
    let nats = Nats::start();
    let address = nats.address();
    run(changes, nats, |pages| Town::new(pages, |_, app| Way::relayed(address, app, Nats::url_at)));
}

/// So many changes, while things go wrong.
fn run<B: Bus>(changes: u64, bus: B, town: impl FnOnce(usize) -> Town) {
    let seed = std::env::var("UNLADEN_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    eprintln!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let town = town(PAGES);
    town.wait_until_whole();
    let faults = Faults { town: &town, bus: Mutex::new(bus), is_over: AtomicBool::new(false) };
    let (made, confirmed) = (AtomicU64::new(0), AtomicU64::new(0));
    // What has to be gone once all is well: the latest version of each page whose purge the bus has, or a node that
    // still lives has taken.
    let owed = Mutex::new(HashMap::<usize, Vec<(u64, Option<(usize, u64)>)>>::new());
    let authors_are_done = AtomicU64::new(0);
    scope(|scope| {
        let (faults, made, confirmed, owed, done) = (&faults, &made, &confirmed, &owed, &authors_are_done);
        for node in 0..NODES {
            let own = random.fork();
            scope.spawn(move || faults.of_node(node, own));
            for _ in 0..READERS {
                let own = random.fork();
                scope.spawn(move || read(faults, node, own));
            }
        }
        let bus = random.fork();
        for author in 0..AUTHORS {
            let mut own = random.fork();
            scope.spawn(move || {
                while made.fetch_add(1, Ordering::SeqCst) < changes && !faults.town.history.is_wrong() {
                    let page = author + AUTHORS * own.usize(..PAGES / AUTHORS);
                    let debt = change(faults, page, &mut own, confirmed);
                    owed.lock().expect("nobody panicked").entry(page).or_default().extend(debt);
                }
                if done.fetch_add(1, Ordering::SeqCst) + 1 == AUTHORS as u64 {
                    faults.is_over.store(true, Ordering::SeqCst);
                }
            });
        }
        // On the thread that has started it, and that stays: it ends with whoever has.
        faults.of_bus(bus);
    });
    town.history.assert_right(seed);
    // All is well again.
    for node in &town.nodes {
        node.way.mend();
        node.revive();
    }
    town.wait_until_whole();
    let owed = owed.into_inner().expect("nobody panicked");
    for (number, node) in town.nodes.iter().enumerate() {
        for (page, debts) in &owed {
            let lives = |(of, life): &(usize, u64)| town.nodes[*of].life.load(Ordering::SeqCst) == *life;
            let least = debts.iter().filter(|(_, by)| by.as_ref().is_none_or(lives)).map(|(version, _)| *version).max();
            let got = node.get(*page).expect("all is well");
            assert!(
                got >= least.unwrap_or_default(),
                "seed {seed}: node {number} has version {got} of page {page}, of which {least:?} was purged"
            );
        }
    }
    let (reads, judged) = (town.history.reads.load(Ordering::SeqCst), town.history.judged.load(Ordering::SeqCst));
    let confirmed = confirmed.load(Ordering::SeqCst);
    eprintln!("{changes} changes, {confirmed} confirmed by all; {reads} reads, {judged} of what had been confirmed");
    // It was no test if nothing was ever confirmed, or read after that.
    assert!(confirmed > 0 && judged > changes, "seed {seed}: {confirmed} confirmed, {judged} judged");
    town.nodes.iter().for_each(town::Node::stop);
}

/// Changes a page and purges it; what is owed: the version, and, where the bus does not have the purge yet, by which life
/// of which node.
fn change<B: Bus>(
    faults: &Faults<'_, B>,
    page: usize,
    random: &mut fastrand::Rng,
    confirmed: &AtomicU64,
) -> Option<(u64, Option<(usize, u64)>)> {
    let version = faults.town.history.change(page);
    let number = faults.some_node(random);
    let node = &faults.town.nodes[number];
    let life = node.life.load(Ordering::SeqCst);
    let what = match random.u8(0..4) {
        0 => format!("\"tag\": \"page-{page}\""),
        1 => format!("\"prefix\": \"http://test/page/{page}\""),
        2 => format!("\"url\": \"http://test/page/{page}\", \"soft\": true"),
        _ => format!("\"url\": \"test/page/{page}\""),
    };
    let patience = Duration::from_millis(if random.bool() { 300 } else { 1500 });
    let wait = if random.u8(0..8) == 0 { "none" } else { "all" };
    let wish = format!("{{{what}, \"wait\": \"{wait}\"}}");
    // No answer: it may have been killed before it had read all of it.
    let told = node.purge(&wish, patience)?;
    if told.is_confirmed && wait == "all" {
        faults.town.history.confirm(page, version);
        confirmed.fetch_add(1, Ordering::SeqCst);
    }
    Some((version, if told.is_published { None } else { Some((number, life)) }))
}

/// Reads pages of a node until it is over.
fn read<B: Bus>(faults: &Faults<'_, B>, number: usize, mut random: fastrand::Rng) {
    let history = &faults.town.history;
    while !faults.is_over.load(Ordering::SeqCst) {
        let page = random.usize(..history.pages());
        let (floor, asked) = (history.floor(page), Instant::now());
        match faults.town.nodes[number].get(page) {
            Some(got) => history.judge(number, page, floor, asked, got),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}
