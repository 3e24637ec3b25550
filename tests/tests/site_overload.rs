//! `unladen serve` asks an application no more at a time than it may, and tells the others at once, or has something
//! stale for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use unladen_tests::site::{app, get, page};
use unladen_tests::{Site, Upstream, Wire};

/// Holds all requests but those for `/free` until it is told to go on; and counts the most that it worked on at a time.
#[derive(Debug, Clone, Default)]
struct Held {
    goes_on: Arc<AtomicBool>,
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Held {
    fn app(&self, lines: &'static str) -> Upstream {
        let held = self.clone();
        app(move |request| {
            let now = held.now.fetch_add(1, Ordering::SeqCst) + 1;
            held.most.fetch_max(now, Ordering::SeqCst);
            while !held.goes_on.load(Ordering::SeqCst) && request.target != "/free" {
                std::thread::sleep(Duration::from_millis(1));
            }
            held.now.fetch_sub(1, Ordering::SeqCst);
            page(lines, &request.target)
        })
    }
}

/// So many clients, each with another path.
fn ask(site: &Site, name: &str, count: usize) -> Vec<Wire> {
    let begin = |number| {
        let mut wire = site.wire();
        wire.send(get(&format!("/{name}/{number}"), ""));
        wire
    };
    (0..count).map(begin).collect()
}

#[test]
fn no_more_than_it_may_are_asked_at_a_time_and_the_others_wait() {
    let held = Held::default();
    for lines in ["Cache-Control: max-age=600\r\n", "Cache-Control: no-store\r\n"] {
        held.goes_on.store(false, Ordering::SeqCst);
        held.most.store(0, Ordering::SeqCst);
        let app = held.app(lines);
        let site = Site::of(&app, "per_client = 1000\n[site.limits]\nconnections = 4\npending = 200");
        let mut wires = ask(&site, "a", 100);
        app.wait("four are asked for", |app| app.seen().len() == 4);
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(app.seen().len(), 4);
        held.goes_on.store(true, Ordering::SeqCst);
        for (number, wire) in wires.iter_mut().enumerate() {
            assert_eq!(wire.answer().is(200).text(), format!("/a/{number}"));
        }
        assert_eq!(held.most.load(Ordering::SeqCst), 4);
        site.stop();
    }
}

#[test]
fn who_finds_the_queue_full_is_told_when_to_come_again() {
    let held = Held::default();
    let app = held.app("Cache-Control: max-age=600\r\n");
    let site = Site::of(&app, "retry_after = \"7s\"\nper_client = 1000\n[site.limits]\nconnections = 2\npending = 4");
    let mut first = ask(&site, "a", 2);
    app.wait("two are asked for", |app| app.seen().len() == 2);
    let mut wires = ask(&site, "b", 20);
    // What is not the application's to answer is answered at once.
    let mut waiting = Vec::new();
    let mut refused = 0;
    for mut wire in wires.drain(..) {
        if wire.is_quiet(Duration::from_millis(20)) {
            waiting.push(wire);
            continue;
        }
        let answer = wire.answer();
        assert_eq!(answer.field("retry-after"), Some("7"), "{answer:?}");
        answer.refuses(503, "too_many_pending");
        refused += 1;
    }
    assert!(refused >= 14, "{refused}");
    held.goes_on.store(true, Ordering::SeqCst);
    for wire in first.iter_mut().chain(&mut waiting) {
        let answer = wire.answer();
        assert!(answer.status == 200 || answer.reason() == Some("too_many_pending"), "{answer:?}");
    }
    site.get("/b/0");
    site.stop();
}

#[test]
fn what_is_stale_helps_while_the_application_has_too_much_to_do() {
    let held = Held::default();
    let app = held.app("Cache-Control: max-age=10, stale-if-error=600\r\nAge: 20\r\n");
    let site = Site::of(&app, "[site.limits]\nconnections = 1\npending = 1");
    assert_eq!(site.get("/free").is_asked(200).text(), "/free");
    let mut wires = ask(&site, "a", 2);
    app.wait("one is asked for", |app| app.seen().len() == 2);
    let answer = site.get_until("/free", |answer| answer.cache().contains("too_many_pending"));
    assert_eq!((answer.status, answer.text().as_str()), (200, "/free"));
    let none = site.get("/cold");
    none.refuses(503, "too_many_pending");
    held.goes_on.store(true, Ordering::SeqCst);
    wires.iter_mut().for_each(|wire| drop(wire.answer()));
    site.stop();
}

#[test]
fn a_client_with_many_connections_does_not_starve_the_others() {
    for lines in ["Cache-Control: max-age=600\r\n", "Cache-Control: no-store\r\n"] {
        let held = Held::default();
        let app = held.app(lines);
        let site = Site::of(&app, "per_client = 8\n[site.limits]\nconnections = 10\npending = 10");
        let mut wires = ask(&site, "greedy", 50);
        app.wait("as many are asked for as one may have", |app| app.seen().len() == 8);
        // Whoever comes by a Unix socket is no address among them.
        assert_eq!(site.unix().get("/free").is(200).text(), "/free");
        held.goes_on.store(true, Ordering::SeqCst);
        let mut refused = 0;
        for wire in &mut wires {
            let answer = wire.answer();
            match answer.status {
                200 => (),
                _ => {
                    answer.refuses(429, "too_many_of_client");
                    refused += 1;
                }
            }
        }
        assert!(refused > 0, "{lines:?}");
        // From memory it may have as much as it likes; and when its requests are over, it may ask again.
        assert_eq!(site.get("/again").is(200).text(), "/again");
        site.stop();
    }
}
