//! What `unladen serve` does about an upstream in trouble: what is sent again and what never is, limits, the breaker,
//! rates, other places of the upstream.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use unladen_tests::{Outbound, Peer, Upstream, Wire, wait};

/// Asks until the answer is so.
#[track_caller]
fn ask_until(what: &str, is_so: impl FnMut() -> bool) {
    wait::until(what, is_so);
}

/// What an upstream does instead of answering.
type Bad = fn(&mut Peer);

/// Closes every other connection without an answer, once it has the request.
fn flaky() -> Upstream {
    Upstream::start(|peer| {
        let Some(request) = peer.request() else { return };
        if peer.number % 2 == 0 {
            return;
        }
        peer.send(format!(
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}",
            request.body.len(),
            String::from_utf8(request.body).unwrap()
        ));
    })
}

#[test]
fn only_what_may_be_sent_twice_is_sent_again() {
    let upstream = flaky();
    let outbound = Outbound::of(
        &upstream.url(),
        "breaker = false\nretry = { attempts = 1, replay_bytes = 1000, backoff = \"1ms\", max_backoff = \"1ms\" }",
    );
    let mut sent = 0;
    let mut wire = outbound.wire();
    for (method, length, times) in [
        ("GET", 0, 2),
        ("OPTIONS", 0, 2),
        ("DELETE", 0, 2),
        ("PUT", 10, 2),
        ("PUT", 1000, 2),
        ("DELETE", 500, 2),
        ("PUT", 1001, 1),
        ("POST", 0, 1),
        ("POST", 10, 1),
        ("PATCH", 10, 1),
        ("QUERY", 0, 1),
    ] {
        for chunked in [false, true] {
            let body = "x".repeat(length);
            let framing = match (chunked, length) {
                (true, 0) => "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n".to_owned(),
                (true, _) => format!("Transfer-Encoding: chunked\r\n\r\n{length:x}\r\n{body}\r\n0\r\n\r\n"),
                (false, _) => format!("Content-Length: {length}\r\n\r\n{body}"),
            };
            wire.send(format!("{method} / HTTP/1.1\r\nHost: test\r\n{framing}"));
            let answer = wire.answer();
            if times == 2 {
                assert_eq!(answer.is(200).text(), body, "{method} {length}");
            } else {
                answer.refuses(502, "upstream_closed");
                // The next one would meet the connection that is good.
                outbound.wire().get("/").is(200);
                sent += 1;
            }
            sent += times;
            let seen = upstream.seen();
            assert_eq!(seen.len(), sent, "{method} {length} {chunked}");
            assert!(times == 1 || seen[sent - 1].body == seen[sent - 2].body);
        }
    }
    assert_eq!(outbound.metric("unladen_retries_total"), Some(12.0));
    outbound.stop();
}

#[test]
fn answers_of_listed_statuses_are_asked_for_again_and_passed_on_in_the_end() {
    let upstream = Upstream::start(|peer| {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        while let Some(request) = peer.request() {
            let number = ASKED.fetch_add(1, Ordering::SeqCst);
            let status = if request.target == "/always" || number % 3 != 2 { 503 } else { 200 };
            peer.send(format!("HTTP/1.1 {status} X\r\nContent-Length: 1\r\n\r\n{}", number % 10));
        }
    });
    let settings = "breaker = false
        retry = { attempts = 2, statuses = [503], budget = 1.0, backoff = \"1ms\", max_backoff = \"1ms\" }";
    let outbound = Outbound::of(&upstream.url(), settings);
    assert_eq!(outbound.wire().get("/").is(200).text(), "2");
    assert_eq!(outbound.wire().get("/always").is(503).text(), "5");
    assert_eq!(outbound.wire().post("/", "once").is(503).text(), "6");
    assert_eq!(upstream.seen().len(), 7);
    outbound.stop();
    // Without leave, what the upstream said is what the client gets.
    for settings in ["attempts = 2, budget = 0.0", "attempts = 0"] {
        let outbound =
            Outbound::of(&upstream.url(), &format!("breaker = false\nretry = {{ statuses = [503], {settings} }}"));
        outbound.wire().get("/always").is(503);
        outbound.stop();
    }
}

#[test]
fn retries_are_a_share_of_all_requests_and_never_more_than_the_limit_at_a_time() {
    let upstream = Upstream::start(|peer| {
        peer.request();
    });
    let ask = |outbound: &Outbound, count: usize| {
        let mut wire = outbound.wire();
        for _ in 0..count {
            wire.get("/").refuses(502, "upstream_closed");
        }
    };
    let settings = |budget: f64| {
        format!(
            "breaker = false\nretry = {{ attempts = 1, budget = {budget:?}, backoff = \"1ms\", max_backoff = \"1ms\" }}"
        )
    };
    let outbound = Outbound::of(&upstream.url(), &settings(0.2));
    ask(&outbound, 400);
    // A fifth of what has come by then, and thirty in ten seconds.
    let retries = upstream.seen().len() - 400;
    assert!((30..=110).contains(&retries), "{retries} of 400 were sent again");
    outbound.stop();
    let before = upstream.seen().len();
    let outbound = Outbound::of(&upstream.url(), &settings(0.0));
    ask(&outbound, 50);
    assert_eq!(upstream.seen().len() - before, 50);
    outbound.stop();

    // Twenty at once, all of which would be sent again, and are not answered the second time until the others are told.
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    let upstream = Upstream::start(|peer| {
        static FIRST: AtomicUsize = AtomicUsize::new(0);
        if peer.request().is_none() {
            return;
        }
        if FIRST.fetch_add(1, Ordering::SeqCst) < 20 {
            while FIRST.load(Ordering::SeqCst) < 20 {
                std::thread::sleep(Duration::from_millis(1));
            }
            return;
        }
        wait::until("seventeen are told that it failed", || TOLD.load(Ordering::SeqCst) == 17);
        peer.answer("again");
    });
    let outbound = Outbound::of(&upstream.url(), "breaker = false\nlimits = { retries = 3 }\nretry = { attempts = 1 }");
    let mut wires: Vec<Wire> = (0..20).map(|_| outbound.wire()).collect();
    for wire in &mut wires {
        wire.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n");
    }
    std::thread::scope(|scope| {
        for wire in &mut wires {
            scope.spawn(|| {
                if wire.answer().status != 200 {
                    TOLD.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    let good = wires.len() - TOLD.load(Ordering::SeqCst);
    assert_eq!((good, upstream.seen().len()), (3, 23));
    outbound.stop();
}

/// Good or bad as it is told.
fn switched(is_good: &Arc<AtomicBool>, bad: impl Fn(&mut Peer) + Send + Sync + 'static) -> Upstream {
    let is_good = Arc::clone(is_good);
    Upstream::start(move |peer| {
        while peer.request().is_some() {
            if is_good.load(Ordering::SeqCst) {
                peer.answer("good");
            } else {
                bad(peer);
            }
        }
    })
}

#[test]
fn the_breaker_opens_answers_at_once_tries_and_closes() {
    let is_good = Arc::new(AtomicBool::new(false));
    let kinds: [(&str, Bad); 3] = [
        ("answers 503", |peer| _ = peer.send("HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n")),
        ("stalls", |peer| peer.wait_for_end()),
        ("breaks off", |peer| {
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
            peer.shut();
            peer.wait_for_end();
        }),
    ];
    for (kind, bad) in kinds {
        is_good.store(false, Ordering::SeqCst);
        let upstream = switched(&is_good, bad);
        let outbound = Outbound::of(
            &upstream.url(),
            "breaker = { requests = 5, failures = 0.5, window = \"60s\", open = \"1s\", trials = 2 }
             retry = { attempts = 0 }
             timeouts = { first_byte = \"100ms\" }",
        );
        for _ in 0..5 {
            let answer = outbound.wire().get("/");
            assert_ne!(answer.reason(), Some("breaker_open"), "{kind}");
        }
        let asked = upstream.seen().len();
        assert_eq!(asked, 5, "{kind}");
        for _ in 0..3 {
            let answer = outbound.wire().get("/").refuses(503, "breaker_open");
            let after: u64 = answer.field("retry-after").and_then(|after| after.parse().ok()).expect("seconds");
            assert!((1..=2).contains(&after), "{kind}: {after}");
        }
        assert_eq!(upstream.seen().len(), asked, "{kind}: it is not asked");
        assert_eq!(outbound.metric("unladen_breaker{upstream=\"test\",state=\"open\"}"), Some(1.0), "{kind}");
        // A trial fails: it stays open, for longer.
        ask_until("it tries", || outbound.wire().get("/").reason() != Some("breaker_open"));
        outbound.wire().get("/").refuses(503, "breaker_open");
        assert_eq!(upstream.seen().len(), asked + 1, "{kind}");
        is_good.store(true, Ordering::SeqCst);
        ask_until("it tries again", || outbound.wire().get("/").reason() != Some("breaker_open"));
        for _ in 0..10 {
            assert_eq!(outbound.wire().get("/").is(200).text(), "good", "{kind}");
        }
        assert_eq!(outbound.metric("unladen_breaker{upstream=\"test\",state=\"closed\"}"), Some(1.0), "{kind}");
        outbound.stop();
    }
}

#[test]
fn what_says_nothing_of_the_upstream_does_not_open_the_breaker() {
    let upstream = Upstream::start(|peer| {
        while let Some(request) = peer.request() {
            match request.target.as_str() {
                "/wait" => peer.wait_for_end(),
                "/500" => _ = peer.send("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n"),
                _ => _ = peer.answer("good"),
            }
        }
    });
    let outbound = Outbound::of(
        &upstream.url(),
        "breaker = { requests = 5, failures = 0.1, window = \"60s\", open = \"60s\" }
         client = { body_bytes = 10 }
         limits = { requests = 3 }",
    );
    for _ in 0..10 {
        outbound.wire().get("/500").is(500);
        outbound.wire().post("/", "far too large").refuses(413, "body_too_large");
        outbound.wire().ask("GET / HTTP/1.1\r\n\r\n").refuses(400, "host");
        let mut wire = outbound.wire();
        wire.send("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n");
        wire.answer().refuses(400, "chunk");
        let mut wire = outbound.wire();
        wire.send("GET /wait HTTP/1.1\r\nHost: test\r\n\r\n");
        upstream.wait("it is asked", |upstream| upstream.seen().iter().any(|seen| seen.target == "/wait"));
        drop(wire);
    }
    outbound.wait_until_idle();
    outbound.wire().get("/").is(200);
    outbound.stop();
}

/// Answers each request when it is told so, with its target.
fn held(go: &Arc<AtomicBool>) -> Upstream {
    let go = Arc::clone(go);
    Upstream::start(move |peer| {
        while let Some(request) = peer.request() {
            while !go.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(2));
            }
            peer.answer(&request.target);
        }
    })
}

#[test]
fn limits_are_kept_and_whoever_is_beyond_is_told_at_once() {
    let go = Arc::new(AtomicBool::new(false));
    let upstream = held(&go);
    let ask = |wire: &mut Wire, path: &str| wire.send(format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n"));

    let outbound = Outbound::of(&upstream.url(), "limits = { requests = 2 }");
    let mut under_way = [outbound.wire(), outbound.wire()];
    for wire in &mut under_way {
        ask(wire, "/a");
    }
    upstream.wait("both are asked", |upstream| upstream.seen().len() == 2);
    for _ in 0..3 {
        outbound.wire().get("/b").refuses(503, "too_many_requests");
    }
    go.store(true, Ordering::SeqCst);
    for wire in &mut under_way {
        assert_eq!(wire.answer().is(200).text(), "/a");
    }
    assert_eq!(outbound.wire().get("/c").is(200).text(), "/c");
    assert_eq!(upstream.seen().len(), 3);
    outbound.stop();

    go.store(false, Ordering::SeqCst);
    let upstream = held(&go);
    let outbound =
        Outbound::of(&upstream.url(), "limits = { connections = 2, pending = 3 }\ntimeouts = { connect = \"30s\" }");
    let mut under_way: Vec<Wire> = (0..5).map(|_| outbound.wire()).collect();
    for (number, wire) in under_way.iter_mut().enumerate() {
        ask(wire, &format!("/{number}"));
        let waiting = (number + 1).saturating_sub(2) as f64;
        ask_until("it is under way or waits", || {
            outbound.in_flight() == number as f64 + 1.0 && outbound.metric("unladen_pending_requests{") == Some(waiting)
        });
    }
    for _ in 0..3 {
        outbound.wire().get("/more").refuses(503, "too_many_pending");
    }
    assert_eq!((upstream.accepted(), upstream.seen().len()), (2, 2));
    go.store(true, Ordering::SeqCst);
    for (number, wire) in under_way.iter_mut().enumerate() {
        assert_eq!(wire.answer().is(200).text(), format!("/{number}"));
    }
    assert_eq!((upstream.accepted(), upstream.seen().len()), (2, 5));
    outbound.stop();

    // Who waits for longer than a connection may take is told that it was the limit, and not the upstream.
    go.store(false, Ordering::SeqCst);
    let upstream = held(&go);
    let outbound = Outbound::of(&upstream.url(), "limits = { connections = 1 }\ntimeouts = { connect = \"200ms\" }");
    let mut first = outbound.wire();
    ask(&mut first, "/first");
    upstream.wait("it is asked", |upstream| upstream.seen().len() == 1);
    outbound.wire().get("/second").refuses(503, "too_many_pending");
    go.store(true, Ordering::SeqCst);
    first.answer().is(200);
    outbound.stop();
}

#[test]
fn connections_that_wait_are_taken_over_by_those_who_need_new_ones() {
    // A request that must not be sent twice needs a fresh connection, when all there may be have been idle for longer.
    let upstream = Upstream::echoing();
    let outbound = Outbound::of(&upstream.url(), "limits = { connections = 2 }\npool = { fresh = \"50ms\" }");
    let mut wires = [outbound.wire(), outbound.wire()];
    for _ in 0..5 {
        for wire in &mut wires {
            wire.send("GET /get HTTP/1.1\r\nHost: test\r\n\r\n");
        }
        for wire in &mut wires {
            wire.answer().is(200);
        }
        std::thread::sleep(Duration::from_millis(80));
        for wire in &mut wires {
            wire.send("POST /post HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n");
        }
        for wire in &mut wires {
            assert_eq!(wire.answer().is(200).text(), "/post");
        }
    }
    outbound.stop();
}

#[test]
fn rates_are_kept_for_all_and_for_each() {
    let upstream = Upstream::echoing();
    let outbound = Outbound::of(
        &upstream.url(),
        "[[outbound.rate]]\nrate = 0.001\nburst = 12\n[[outbound.rate]]\nheader = \"X-Key\"\nrate = 0.001\nburst = 3",
    );
    let get = |key: &str| {
        let key = if key.is_empty() { String::new() } else { format!("X-Key: {key}\r\n") };
        outbound.wire().ask(format!("GET / HTTP/1.1\r\nHost: test\r\n{key}\r\n"))
    };
    for key in ["a", "b"] {
        for _ in 0..3 {
            get(key).is(200);
        }
    }
    for key in ["a", "b"] {
        let answer = get(key).refuses(429, "rate_limited");
        let after: u64 = answer.field("retry-after").and_then(|after| after.parse().ok()).expect("seconds");
        assert!((900..=1000).contains(&after), "{after}");
    }
    let others = (0..10).filter(|_| get("").status == 200).count();
    // Those without the header have one bucket together.
    assert_eq!(others, 3);
    get("c").refuses(429, "rate_limited");
    outbound.stop();
}

#[test]
fn the_time_for_the_whole_ends_whatever_goes_on() {
    let upstream = Upstream::start(|peer| {
        while let Some(request) = peer.request() {
            match request.target.as_str() {
                "/stalls" => peer.wait_for_end(),
                "/closes" => return,
                "/streams" => {
                    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                    while peer.send("1\r\na\r\n") {
                        std::thread::sleep(Duration::from_millis(20));
                    }
                }
                _ => _ = peer.answer("good"),
            }
        }
    });
    let outbound = Outbound::of(
        &upstream.url(),
        "breaker = false
         timeouts = { request = \"400ms\" }
         retry = { attempts = 10, budget = 1.0, backoff = \"200ms\", max_backoff = \"1h\" }",
    );
    for _ in 0..2 {
        outbound.wire().get("/stalls").refuses(504, "deadline_exceeded");
        let answer = outbound.wire().get("/streams");
        assert_eq!((answer.status, answer.ending), (200, unladen_tests::Ending::Short), "{answer:?}");
        // Waiting to send it again has its end there, too.
        let answer = outbound.wire().get("/closes");
        assert!(matches!(answer.status, 502 | 504), "{answer:?}");
        outbound.wire().get("/good").is(200);
    }
    let begun = Instant::now();
    outbound.wire().get("/closes");
    assert!(begun.elapsed() < Duration::from_secs(10));
    outbound.wait_until_idle();
    outbound.stop();
}

#[test]
fn what_the_request_waits_for_within_its_time_speaks_against_the_upstream() {
    let is_good = Arc::new(AtomicBool::new(false));
    let upstream = switched(&is_good, |peer| peer.wait_for_end());
    let outbound = Outbound::of(
        &upstream.url(),
        "breaker = { requests = 3, failures = 0.5, window = \"60s\", open = \"60s\" }
         timeouts = { request = \"100ms\" }",
    );
    // On a busy machine the time may be over before it is asked.
    let late = (0..20)
        .map(|_| outbound.wire().get("/"))
        .take_while(|answer| answer.reason() == Some("deadline_exceeded"))
        .count();
    assert!((3..20).contains(&late), "{late}");
    outbound.wire().get("/").refuses(503, "breaker_open");
    outbound.stop();
}

#[test]
fn of_several_places_those_that_are_well_answer() {
    let good = [Upstream::saying("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"), Upstream::echoing()];
    // Nobody listens there.
    let gone = unladen_tests::free_address();
    let stalls = Upstream::start(|peer| {
        peer.request();
        peer.wait_for_end();
    });
    let resets = Upstream::start(|peer| {
        peer.request();
        peer.reset();
    });
    let outbound = Outbound::start(&format!(
        "upstream = [\"{}\", \"http://{gone}\", \"{}\", \"{}\"]
         balance = \"round-robin\"
         breaker = false
         retry = {{ attempts = 2, budget = 1.0, backoff = \"1ms\", max_backoff = \"1ms\" }}
         outlier = {{ consecutive = 3, ejection = \"1h\", max_ejection = \"1h\" }}",
        good[0].url(),
        resets.url(),
        good[1].url(),
    ));
    let mut wire = outbound.wire();
    for _ in 0..60 {
        wire.get("/").is(200);
    }
    let tried = resets.seen().len();
    assert!((1..=10).contains(&tried), "{tried} requests went to what resets them all");
    assert_eq!(
        outbound.metric(&format!("unladen_endpoint_ejected{{upstream=\"test\",endpoint=\"{}\"}}", resets.address())),
        Some(1.0)
    );
    assert_eq!(
        outbound.metric(&format!("unladen_endpoint_ejected{{upstream=\"test\",endpoint=\"{gone}\"}}")),
        Some(1.0)
    );
    assert!(good.iter().all(|upstream| upstream.seen().len() > 10));
    outbound.stop();

    // One that stalls costs those who meet it their time, until it is out.
    let outbound = Outbound::start(&format!(
        "upstream = [\"{}\", \"{}\"]
         balance = \"round-robin\"
         breaker = false
         timeouts = {{ first_byte = \"150ms\" }}
         outlier = {{ consecutive = 3, ejection = \"1h\", max_ejection = \"1h\" }}",
        good[1].url(),
        stalls.url(),
    ));
    let mut wire = outbound.wire();
    let statuses: Vec<u16> = (0..40).map(|_| wire.get("/").status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 504).count(), 3, "{statuses:?}");
    assert!(statuses[10..].iter().all(|status| *status == 200), "{statuses:?}");
    assert_eq!(stalls.seen().len(), 3);
    outbound.stop();
}
