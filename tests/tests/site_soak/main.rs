//! A small server for days on end, in minutes: hosts with certificates by ACME, PHP and files at two addresses, read
//! without a pause while the configuration is read again, processes hand over and the program is restarted. Nothing is
//! lost, and what was kept is there again.

mod account;
mod town;
mod visitors;

use std::time::{Duration, Instant};

use account::percent;
use town::Town;
use unladen_tests::Pebble;
use visitors::Visitors;

/// How often what happens.
struct Turns {
    reloads: usize,
    handovers: usize,
    restarts: usize,
    /// After each restart, the share of hits is followed for so long.
    watch: Duration,
}

/// Answers to pages that are kept, by which a share is told.
const MANY: u64 = 300;
/// Of what was there before, so much is to be back.
const BACK: f64 = 0.9;

#[test]
fn reloads_handovers_and_restarts_lose_nothing() {
    if Pebble::is_here("reloads_handovers_and_restarts_lose_nothing") {
        run(&Turns { reloads: 10, handovers: 2, restarts: 3, watch: Duration::ZERO });
    }
}

#[test]
#[ignore = "minutes: `make soak`"]
fn a_hundred_reloads_five_handovers_and_twenty_restarts_lose_nothing() {
    if Pebble::is_here("a_hundred_reloads_five_handovers_and_twenty_restarts_lose_nothing") {
        let watch = Duration::from_millis(2500);
        let backs = run(&Turns { reloads: 100, handovers: 5, restarts: 20, watch });
        // It is what the pledge says; the short test asserts that it comes back, and no time.
        let longest = backs.iter().max().expect("there were restarts");
        assert!(*longest <= Duration::from_secs(2), "{longest:?} until the hits were back");
    }
}

/// Does all of it under load; how long after each restart the share of hits was back.
fn run(turns: &Turns) -> Vec<Duration> {
    let town = Town::start();
    town.warm();
    let visitors = Visitors::start(&town);
    let before = visitors.share_of_hits(2 * MANY);
    assert!(before > 0.95, "{before}");
    let (mut reloads, mut handovers, mut backs, mut starts) = (0, 0, Vec::new(), Vec::new());
    for turn in 1..=turns.restarts {
        while reloads * turns.restarts < turn * turns.reloads {
            town.reload(reloads % 2 == 0);
            reloads += 1;
            visitors.share_of_hits(MANY / 10);
        }
        while handovers * turns.restarts < turn * turns.handovers {
            town.hand_over();
            handovers += 1;
            let share = visitors.share_of_hits(MANY);
            eprintln!("handover {handovers}: {} hits of the next {MANY} pages", percent(share));
        }
        town.stop();
        let began = Instant::now();
        town.start_again();
        let back = visitors.back(began, BACK * before);
        eprintln!("restart {turn}: the hits were back after {:.2} s", back.as_secs_f64());
        backs.push(back);
        starts.push(began);
        std::thread::sleep(turns.watch);
    }
    eprintln!("{reloads} reloads, {handovers} handovers, {} restarts", turns.restarts);
    eprint!("{}", visitors.history(&starts, turns.watch));
    let account = visitors.stop();
    eprintln!("{account}");
    assert_eq!(account.lost, Vec::<String>::new(), "{}", town.said());
    town.end();
    backs
}
