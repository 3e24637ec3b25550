//! `unladen serve` and upstreams that close connections at any moment, or are killed: nothing is lost that can be had,
//! and nothing is carried out twice that must not be.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use unladen_tests::{Nginx, Outbound, Upstream};

/// A generator of numbers that need not be good (xorshift).
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn micros(&mut self, bound: u64) -> Duration {
        Duration::from_micros(self.below(bound))
    }
}

/// What was carried out, by the target of its request.
type Ledger = Arc<Mutex<HashMap<String, usize>>>;

/// Carries requests out and answers with their targets; after each answer, `closes` may have it close the connection.
fn bookkeeping(
    ledger: &Ledger,
    closes: impl Fn(&mut unladen_tests::Peer, &mut Dice) -> bool + Send + Sync + 'static,
) -> Upstream {
    let ledger = Arc::clone(ledger);
    Upstream::forgetful(move |peer| {
        let mut dice = Dice::new(peer.number as u64 + 1);
        while let Some(request) = peer.request() {
            *ledger.lock().unwrap().entry(request.target.clone()).or_default() += 1;
            if !peer.answer(&request.target) || closes(peer, &mut dice) {
                return;
            }
        }
    })
}

/// Closes or resets, a moment after an answer, one time of eight: whatever request comes meanwhile is not read.
fn at_random(peer: &mut unladen_tests::Peer, dice: &mut Dice) -> bool {
    if dice.below(8) > 0 {
        return false;
    }
    std::thread::sleep(dice.micros(400));
    if dice.below(2) == 0 {
        peer.reset();
    }
    true
}

/// So many GETs from eight clients, of which none may fail.
fn gets(count: usize) {
    let ledger = Ledger::default();
    let upstream = bookkeeping(&ledger, at_random);
    let outbound = Outbound::of(&upstream.url(), "");
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for client in 0..8 {
            let (next, outbound) = (&next, &outbound);
            scope.spawn(move || {
                let mut dice = Dice::new(1000 + client);
                let mut wire = if client % 2 == 0 { outbound.wire() } else { outbound.tcp() };
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let path = format!("/{number}");
                    assert_eq!(wire.get(&path).is(200).text(), path);
                    if dice.below(16) == 0 {
                        std::thread::sleep(dice.micros(2000));
                    }
                }
            });
        }
    });
    let ledger = ledger.lock().unwrap();
    assert_eq!(ledger.len(), count);
    assert!(ledger.values().all(|times| *times == 1), "none was read twice");
    let raced = outbound.metric("unladen_attempts_total").unwrap_or(0.0) - count as f64;
    println!("{count} GETs over {} connections, of which {raced} were sent again", upstream.accepted());
    assert!(raced > 0.0, "none met a connection that was being closed");
    drop(ledger);
    outbound.stop();
}

#[test]
fn connections_that_are_closed_at_random_lose_no_get() {
    gets(8_000);
}

#[test]
#[ignore = "takes minutes: the same 100,000 times"]
fn connections_that_are_closed_at_random_100_000_times_lose_no_get() {
    gets(800_000);
}

/// POSTs whose connections are closed as `closes` says: how many were answered, and how many were told that they may be
/// lost.
fn posts(
    seconds: u64,
    clients: u64,
    pause: u64,
    closes: fn(&mut unladen_tests::Peer, &mut Dice) -> bool,
) -> (usize, usize) {
    let ledger = Ledger::default();
    let upstream = bookkeeping(&ledger, closes);
    // Whatever becomes of them: the breaker is not what this is about.
    let outbound = Outbound::of(&upstream.url(), "breaker = false");
    let (answered, lost) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let until = Instant::now() + Duration::from_secs(seconds);
    std::thread::scope(|scope| {
        for client in 0..clients {
            let (outbound, answered, lost) = (&outbound, &answered, &lost);
            scope.spawn(move || {
                let mut dice = Dice::new(2000 + client);
                let mut wire = outbound.wire();
                let mut number = 0;
                while Instant::now() < until {
                    let path = format!("/{client}/{number}");
                    number += 1;
                    let answer = wire.post(&path, "to be done once");
                    if answer.field("connection") == Some("close") {
                        // It was not read to its end.
                        wire = outbound.wire();
                    }
                    if answer.status == 200 {
                        assert_eq!(answer.is(200).text(), path);
                        answered.lock().unwrap().push(path);
                    } else {
                        answer.refuses(502, "upstream_closed");
                        lost.lock().unwrap().push(path);
                    }
                    std::thread::sleep(dice.micros(pause));
                }
            });
        }
    });
    let (answered, lost) = (answered.into_inner().unwrap(), lost.into_inner().unwrap());
    let ledger = ledger.lock().unwrap();
    assert!(ledger.values().all(|times| *times == 1), "one was carried out twice");
    assert!(answered.iter().all(|path| ledger.contains_key(path)), "one was answered and not carried out");
    assert!(lost.iter().all(|path| !ledger.contains_key(path)), "this upstream answers all that it carries out");
    outbound.stop();
    (answered.len(), lost.len())
}

#[test]
fn connections_that_are_closed_when_idle_for_a_second_lose_no_post() {
    let (answered, lost) =
        posts(5, 60, 2_000_000, |peer, dice| !peer.waits(Duration::from_secs(1) + dice.micros(200_000)));
    println!("closed when idle: {answered} POSTs were answered, {lost} were told that they may be lost");
    assert!(answered > 100);
    assert_eq!(lost, 0);
}

#[test]
fn connections_that_are_closed_at_random_double_no_post() {
    let (answered, lost) = posts(3, 8, 1000, at_random);
    println!("closed at random: {answered} POSTs were answered, {lost} were told that they may be lost");
    assert!(answered > 100);
}

#[test]
#[ignore = "takes minutes"]
fn connections_that_are_closed_lose_no_post_for_minutes() {
    let (answered, lost) =
        posts(150, 200, 2_000_000, |peer, dice| !peer.waits(Duration::from_secs(1) + dice.micros(200_000)));
    println!("closed when idle: {answered} POSTs were answered, {lost} were told that they may be lost");
    assert_eq!(lost, 0);
    let (answered, lost) = posts(60, 8, 1000, at_random);
    println!("closed at random: {answered} POSTs were answered, {lost} were told that they may be lost");
}

#[test]
fn an_upstream_that_is_killed_and_comes_back_is_found_again() {
    let body = "well\n".repeat(1000);
    let mut nginx = Nginx::plain("location / { root .; }");
    std::fs::write(nginx.path("page"), &body).unwrap();
    let outbound = Outbound::of(
        &format!("http://{}", nginx.address()),
        "breaker = { requests = 10, open = \"100ms\" }\nretry = { backoff = \"1ms\" }",
    );
    let done = AtomicBool::new(false);
    let good = AtomicUsize::new(0);
    let reasons: Mutex<HashMap<String, usize>> = Mutex::default();
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (done, good, reasons, outbound, body) = (&done, &good, &reasons, &outbound, &body);
            scope.spawn(move || {
                let mut wire = if client % 2 == 0 { outbound.wire() } else { outbound.tcp() };
                while !done.load(Ordering::SeqCst) {
                    let mut answer = wire.get("/page");
                    match answer.reason() {
                        Some(reason) => *reasons.lock().unwrap().entry(reason.to_owned()).or_default() += 1,
                        None if answer.ending == unladen_tests::Ending::Whole => {
                            answer = answer.is(200);
                            assert_eq!(answer.text(), *body);
                            good.fetch_add(1, Ordering::SeqCst);
                        }
                        // It was cut off in the middle, and says so.
                        None => {
                            assert!(body.starts_with(&answer.text()) && answer.body.len() < body.len());
                            wire = outbound.wire();
                        }
                    }
                }
            });
        }
        let more = |count: usize| {
            let (begun, before) = (Instant::now(), good.load(Ordering::SeqCst));
            while good.load(Ordering::SeqCst) < before + count {
                assert!(
                    begun.elapsed() < Duration::from_secs(30),
                    "no good answers come: {:?}",
                    reasons.lock().unwrap()
                );
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        for _ in 0..3 {
            more(100);
            nginx.kill();
            std::thread::sleep(Duration::from_millis(300));
            // On a busy machine so few attempts fail in that time that the good ones before outweigh them.
            let begun = Instant::now();
            while !reasons.lock().unwrap().contains_key("breaker_open") && begun.elapsed() < Duration::from_secs(10) {
                std::thread::sleep(Duration::from_millis(10));
            }
            nginx.restart();
            more(100);
        }
        done.store(true, Ordering::SeqCst);
    });
    let reasons = reasons.into_inner().unwrap();
    println!("{} good answers, and: {reasons:?}", good.load(Ordering::SeqCst));
    let known = ["upstream_closed", "connect_failed", "breaker_open"];
    assert!(reasons.keys().all(|reason| known.contains(&reason.as_str())), "{reasons:?}");
    assert!(reasons.contains_key("breaker_open"), "{reasons:?}");
    outbound.wait_until_idle();
    outbound.stop();
}
