//! `unladen serve` when its upstream, or its client, does what it should not: every request ends, with what came of it
//! or with an answer that says why, and never with a part that looks like the whole.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use unladen_tests::{Ending, Outbound, Upstream, Wire};

/// Nothing is tried again, and what takes too long ends soon.
const STRICT: &str = "breaker = false
    retry = { attempts = 0 }
    timeouts = { connect = \"400ms\", first_byte = \"400ms\", idle = \"400ms\" }";

/// Nothing is tried again.
const ONCE: &str = "breaker = false
    retry = { attempts = 0 }";

#[test]
fn an_upstream_that_does_not_answer_is_given_up() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.wait_for_end();
    });
    let outbound = Outbound::of(&upstream.url(), STRICT);
    outbound.wire().get("/").refuses(504, "upstream_timeout");
    outbound.wire().post("/", "once").refuses(504, "upstream_timeout");
    // The client's connection goes on, the upstream's does not.
    let mut wire = outbound.wire();
    for _ in 0..2 {
        wire.get("/").refuses(504, "upstream_timeout");
    }
    upstream.wait("its connections are closed", |upstream| upstream.open() == 0);
    assert_eq!(upstream.seen().len(), 4, "each request was sent once");
    outbound.wait_until_idle();
    outbound.stop();
}

#[test]
fn an_upstream_that_takes_no_connections_is_given_up() {
    use nix::sys::socket::{AddressFamily, Backlog, SockFlag, SockType, SockaddrIn, bind, connect, getsockname};
    let socket = || {
        nix::sys::socket::socket(
            AddressFamily::Inet,
            SockType::Stream,
            SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC,
            None,
        )
        .unwrap()
    };
    let listener = socket();
    bind(std::os::fd::AsRawFd::as_raw_fd(&listener), &SockaddrIn::new(127, 0, 0, 1, 0)).unwrap();
    nix::sys::socket::listen(&listener, Backlog::new(0).unwrap()).unwrap();
    let address: SockaddrIn = getsockname(std::os::fd::AsRawFd::as_raw_fd(&listener)).unwrap();
    // Its queue is full of these.
    let waiting: Vec<_> = (0..4).map(|_| socket()).collect();
    for socket in &waiting {
        let _ = connect(std::os::fd::AsRawFd::as_raw_fd(socket), &address);
    }
    let outbound = Outbound::of(&format!("http://{address}"), STRICT);
    outbound.wire().get("/").refuses(504, "connect_timeout");
    outbound.wire().post("/", "once").refuses(504, "connect_timeout");
    drop((listener, waiting));
    outbound.wire().get("/").refuses(502, "connect_failed");
    outbound.stop();
}

#[test]
fn an_answer_that_stalls_breaks_off() {
    let upstream = Upstream::start(|peer| {
        let Some(request) = peer.request() else { return };
        peer.send(match request.target.as_str() {
            "/head" => "HTTP/1.1 200 OK\r\nContent-Len",
            "/exact" => "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
            "/chunked" => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
            _ => "HTTP/1.1 200 OK\r\n\r\nabc",
        });
        peer.wait_for_end();
    });
    let outbound = Outbound::of(&upstream.url(), STRICT);
    outbound.wire().get("/head").refuses(504, "upstream_timeout");
    for path in ["/exact", "/chunked", "/close"] {
        for mut wire in [outbound.wire(), outbound.tcp()] {
            let answer = wire.get(path);
            assert_eq!((answer.status, answer.text().as_str(), answer.ending), (200, "abc", Ending::Short), "{path}");
        }
        // The end of its connection is the end of an answer of HTTP/1.0: this one does not look like it.
        let answer = outbound.tcp().ask(format!("GET {path} HTTP/1.0\r\n\r\n"));
        assert_ne!((answer.status, answer.ending), (200, Ending::Closed), "{path}");
        assert_ne!((answer.status, answer.ending), (200, Ending::Whole), "{path}");
    }
    upstream.wait("its connections are closed", |upstream| upstream.open() == 0);
    outbound.wait_until_idle();
    outbound.stop();
}

#[test]
fn an_upstream_that_is_slow_all_the_time_is_borne_as_long_as_something_comes() {
    let upstream = Upstream::start(|peer| {
        while let Some(request) = peer.request() {
            if request.target == "/head" {
                // For ever.
                let head = "HTTP/1.1 200 OK\r\nX-Long: ".bytes().chain(std::iter::repeat(b'a'));
                for byte in head {
                    if !peer.send([byte]) {
                        return;
                    }
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
            peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            for byte in "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n".bytes() {
                std::thread::sleep(Duration::from_millis(200));
                peer.send([byte]);
            }
        }
    });
    // All of it takes longer than one pause may, and a pause on a busy machine not nearly as long.
    let timeouts = "timeouts = { connect = \"400ms\", first_byte = \"400ms\", idle = \"2s\" }";
    let outbound =
        Outbound::of(&upstream.url(), &format!("breaker = false\n    retry = {{ attempts = 0 }}\n    {timeouts}"));
    assert_eq!(outbound.wire().get("/body").is(200).text(), "abc");
    outbound.wire().get("/head").refuses(504, "upstream_timeout");
    upstream.wait("its connection is closed", |upstream| upstream.open() <= 1);
    outbound.stop();
}

#[test]
fn a_connection_that_is_reset_or_closed_is_never_the_end_of_an_answer() {
    // The connection ends once the client has the head: by then all that was sent before was read, which a reset may take
    // away. Of an answer without a whole head nothing reaches the client, whenever the end comes.
    let (told, has_head) = mpsc::channel();
    let has_head = Mutex::new(has_head);
    let upstream = Upstream::start(move |peer| {
        let Some(request) = peer.request() else { return };
        let (how, what) = request.target[1..].split_once('/').unwrap();
        peer.send(match what {
            "nothing" => "",
            "line" => "HTTP/1.1 20",
            "head" => "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n",
            "exact" => "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
            "exact-some" => "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
            "chunked" => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "chunked-some" => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
            "chunked-data" => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
            "chunked-end" => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
            "trailers" => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n",
            "open" => "HTTP/1.1 200 OK\r\n\r\nabc",
            other => panic!("{other}"),
        });
        if !matches!(what, "nothing" | "line" | "head") {
            has_head.lock().unwrap().recv().unwrap();
        }
        match how {
            "reset" => peer.reset(),
            "shut" => {
                // Closed one way; the other way it is open.
                peer.shut();
                peer.wait_for_end();
            }
            _ => (),
        }
    });
    let outbound = Outbound::of(&upstream.url(), ONCE);
    let begun = |mut wire: Wire, request: String| {
        wire.send(request);
        let mut answer = wire.head();
        told.send(()).unwrap();
        wire.body(&mut answer);
        answer
    };
    let get = |how: &str, what: &str| format!("GET /{how}/{what} HTTP/1.1\r\nHost: test\r\n\r\n");
    let old = |how: &str, what: &str| format!("GET /{how}/{what} HTTP/1.0\r\n\r\n");
    for how in ["close", "reset", "shut"] {
        for what in ["nothing", "line", "head"] {
            outbound.wire().get(&format!("/{how}/{what}")).refuses(502, "upstream_closed");
            outbound.wire().post(&format!("/{how}/{what}"), "body").refuses(502, "upstream_closed");
            outbound.wire().ask(old(how, what)).refuses(502, "upstream_closed");
        }
        for what in ["exact", "exact-some", "chunked", "chunked-some", "chunked-data", "chunked-end", "trailers"] {
            for wire in [outbound.wire(), outbound.tcp()] {
                let answer = begun(wire, get(how, what));
                assert_eq!((answer.status, answer.ending), (200, Ending::Short), "{how} {what}");
                assert!("abc".starts_with(&answer.text()), "{how} {what}: {answer:?}");
            }
            let answer = begun(outbound.tcp(), old(how, what));
            let is_exact = what.starts_with("exact");
            assert!(
                answer.ending == Ending::Reset || (is_exact && answer.ending == Ending::Short),
                "{how} {what}: {answer:?}"
            );
        }
        // Nobody can tell that it was to be longer, but for a reset.
        let answer = begun(outbound.wire(), get(how, "open"));
        let ending = if how == "reset" { Ending::Short } else { Ending::Whole };
        assert_eq!((answer.status, answer.text().as_str(), answer.ending), (200, "abc", ending), "{how}");
        let answer = begun(outbound.tcp(), old(how, "open"));
        let ending = if how == "reset" { Ending::Reset } else { Ending::Closed };
        assert_eq!(answer.ending, ending, "{how}: {answer:?}");
    }
    // At once: nothing of the answer has been sent by then.
    outbound.wait_until_idle();
    upstream.wait("its connections are closed", |upstream| upstream.open() == 0);
    outbound.stop();
}

#[test]
fn an_answer_that_breaks_off_before_any_of_it_was_sent_is_answered_for() {
    let upstream = Upstream::start(|peer| {
        let Some(request) = peer.request() else { return };
        let chunk = if request.target == "/now" { "nonsense" } else { "3\r\nabc\r\nnonsense" };
        peer.send(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}\r\n"));
        peer.wait_for_end();
    });
    let outbound = Outbound::of(&upstream.url(), ONCE);
    let mut wire = outbound.wire();
    for _ in 0..2 {
        wire.get("/now").refuses(502, "upstream_malformed");
    }
    outbound.wire().ask("GET /now HTTP/1.0\r\n\r\n").refuses(502, "upstream_malformed");
    let answer = wire.get("/later");
    assert!(answer.status == 502 || answer.ending == Ending::Short, "{answer:?}");
    outbound.stop();
}

#[test]
fn what_is_no_answer_is_not_passed_on() {
    static ANSWERS: [&str; 22] = [
        "nonsense\r\n\r\n",
        "\0\0\0\0\r\n\r\n",
        "\x15\x03\x01\x00\x02\x02\x28",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "220 mail.example ESMTP\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/3.0 200 OK\r\n\r\n",
        "http/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1,2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n",
        "\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
    ];
    let upstream = Upstream::start(|peer| {
        while let Some(request) = peer.request() {
            let number: Option<usize> = request.target[1..].parse().ok();
            peer.send(number.map_or("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", |number| ANSWERS[number]));
        }
    });
    let outbound = Outbound::of(&upstream.url(), ONCE);
    let mut wire = outbound.wire();
    for (number, said) in ANSWERS.iter().enumerate() {
        let answer = wire.get(&format!("/{number}"));
        assert_eq!((answer.status, answer.reason()), (502, Some("upstream_malformed")), "{said:?}: {answer:?}");
        assert_eq!(wire.get("/good").is(200).text(), "good", "after {said:?}");
    }
    outbound.stop();
}

#[test]
fn what_follows_an_answer_unasked_is_nobodys() {
    let upstream = Upstream::start(|peer| {
        let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
        while let Some(request) = peer.request() {
            match request.target.as_str() {
                "/longer" => peer.send(format!("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc{evil}")),
                "/chunked" => peer
                    .send(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n{evil}")),
                "/204" => peer.send(format!("HTTP/1.1 204 No Content\r\n\r\n{evil}")),
                "/304" => {
                    peer.send(format!("HTTP/1.1 304 Not Modified\r\nContent-Length: {}\r\n\r\n{evil}", evil.len()))
                }
                "/head" => peer.send(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{evil}", evil.len())),
                "/later" => {
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
                    std::thread::sleep(Duration::from_millis(30));
                    peer.send(evil)
                }
                _ => peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"),
            };
        }
    });
    let outbound = Outbound::of(&upstream.url(), ONCE);
    let mut wire = outbound.wire();
    for _ in 0..5 {
        assert_eq!(wire.get("/longer").is(200).text(), "abc");
        assert_eq!(wire.get("/good").is(200).text(), "good");
        assert_eq!(wire.get("/chunked").is(200).text(), "abc");
        assert_eq!(wire.get("/good").is(200).text(), "good");
        wire.get("/204").is(204);
        assert_eq!(wire.get("/good").is(200).text(), "good");
        wire.get("/304").is(304);
        assert_eq!(wire.get("/good").is(200).text(), "good");
        wire.send("HEAD /head HTTP/1.1\r\nHost: test\r\n\r\n");
        wire.next(true).is(200);
        assert_eq!(wire.get("/good").is(200).text(), "good");
        assert_eq!(wire.get("/later").is(200).text(), "abc");
        std::thread::sleep(Duration::from_millis(80));
        assert_eq!(wire.get("/good").is(200).text(), "good");
    }
    outbound.stop();
}

#[test]
fn an_answer_before_the_request_has_ended_arrives() {
    let upstream = Upstream::start(|peer| {
        while let Some(mut request) = peer.head() {
            peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
            match request.target.clone().as_str() {
                // With the request unread, which resets the connection.
                "/close" => return,
                // Its connection is open for more, and so may be used again where all of the request was sent.
                "/read" if peer.body(&mut request).is_some() => (),
                "/read" => return,
                "/stop" => return std::thread::sleep(Duration::from_secs(2)),
                other => panic!("{other}"),
            }
        }
    });
    let outbound = Outbound::of(&upstream.url(), ONCE);
    let body = vec![b'x'; 10_000_000];
    for path in ["/close", "/read", "/stop"] {
        for (name, chunked) in [("unix", false), ("tcp", false), ("unix", true), ("tcp", true)] {
            let mut wire = if name == "unix" { outbound.wire() } else { outbound.tcp() };
            let framing = if chunked { "Transfer-Encoding: chunked" } else { "Content-Length: 10000000" };
            wire.send(format!("POST {path} HTTP/1.1\r\nHost: test\r\n{framing}\r\n\r\n"));
            if chunked {
                wire.send("989680\r\n");
            }
            // It sends all before it looks for an answer, as many do.
            let sent = wire.try_send(&body);
            let answer = wire.answer().is(413);
            assert_eq!(answer.text(), "big", "{path} {name}");
            // An upstream that reads on may have got all of the request before its answer was looked at.
            let is_last = answer.field("connection") == Some("close");
            assert!(is_last || path == "/read", "{path} {name}");
            assert!(sent.is_ok(), "{path} {name} chunked {chunked}: {sent:?}");
        }
    }
    upstream.wait("its connections are closed", |upstream| upstream.open() == 0);
    outbound.wait_until_idle();
    outbound.stop();
}

/// What comes of a request that is refused in its middle, by an upstream that then does this to its connection.
fn refused_in_the_middle(read: usize, ending: &'static str) -> Upstream {
    Upstream::start(move |peer| {
        if peer.head().is_none() {
            return;
        }
        let mut rest = read;
        while rest > 0 {
            let count = peer.read().len();
            if count == 0 {
                return;
            }
            rest = rest.saturating_sub(count);
        }
        // Where it has got all of the request, its connection would else be used again.
        peer.send("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig");
        match ending {
            "closes" => (),
            "resets" => peer.reset(),
            "shuts and reads" => {
                peer.shut();
                peer.wait_for_end();
            }
            "shuts and reads no more" => {
                peer.shut();
                std::thread::sleep(Duration::from_millis(500));
            }
            other => panic!("{other}"),
        }
    })
}

#[test]
fn an_early_answer_arrives_at_whatever_moment_its_connection_ends() {
    const LENGTH: usize = 3_000_000;
    let body = vec![b'x'; LENGTH];
    for ending in ["closes", "resets", "shuts and reads", "shuts and reads no more"] {
        for read in [0, 1, 5_000, 70_000, LENGTH / 2, LENGTH - 1] {
            let upstream = refused_in_the_middle(read, ending);
            let outbound = Outbound::of(&upstream.url(), ONCE);
            for framing in ["Transfer-Encoding: chunked", "Content-Length: 3000000"] {
                // A client that sends all before it looks, and one that sends what the upstream wants to see and no
                // more.
                for sent in [LENGTH, read] {
                    let mut wire = if sent == LENGTH { outbound.wire() } else { outbound.tcp() };
                    wire.send(format!("POST / HTTP/1.1\r\nHost: test\r\n{framing}\r\n\r\n"));
                    if framing.starts_with('T') {
                        wire.send("2dc6c0\r\n");
                    }
                    let taken = wire.try_send(&body[..sent]);
                    let case = format!("read {read}, {ending}, {framing}, sent {sent}");
                    let answer = wire.answer();
                    assert_eq!((answer.status, answer.text().as_str()), (413, "big"), "{case}: {answer:?}");
                    assert!(taken.is_ok(), "{case}: {taken:?}");
                }
            }
            outbound.stop();
        }
    }
}

#[test]
fn an_early_answer_arrives_though_the_upload_never_pauses() {
    let taken = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&taken);
    let upstream = Upstream::start(move |peer| {
        if peer.head().is_none() {
            return;
        }
        // Before anything is read, so that it is there when more of the request is sent than sockets hold.
        peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
        loop {
            match peer.read().len() {
                0 => return,
                count => _ = counter.fetch_add(count as u64, Ordering::SeqCst),
            }
        }
    });
    let outbound = Outbound::of(&upstream.url(), ONCE);
    for _ in 0..3 {
        let mut wire = outbound.wire();
        wire.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000000000\r\n\r\n");
        // Until it fails: there is no end but the one that an answer brings.
        let sending: Vec<_> = (0..4)
            .map(|_| {
                let mut twin = wire.twin();
                std::thread::spawn(move || {
                    let piece = vec![b'x'; 1 << 20];
                    while twin.try_send(&piece).is_ok() {}
                })
            })
            .collect();
        assert_eq!(wire.answer().is(413).text(), "big");
        wire.end();
        sending.into_iter().for_each(|sending| sending.join().unwrap());
        upstream.wait("its connection is closed", |upstream| upstream.open() == 0);
        // A few turns of what sockets and buffers hold, of a terabyte.
        let taken = taken.swap(0, Ordering::SeqCst);
        assert!(taken < 100 << 20, "{taken} bytes were sent to one that had answered");
    }
    outbound.wait_until_idle();
    outbound.stop();
}

#[test]
fn an_answer_that_is_there_wins_over_a_timeout_of_one_that_was_held_up() {
    for (request, rest) in [
        ("GET / HTTP/1.1\r\nHost: test\r\n\r\n", ""),
        ("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\n", "12345"),
        ("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\n12345\r\n"),
    ] {
        let (asked, has_asked) = std::sync::mpsc::channel();
        let (answer, answers) = std::sync::mpsc::channel::<()>();
        let (answered, has_answered) = std::sync::mpsc::channel();
        let gates = std::sync::Mutex::new((asked, answers, answered));
        let upstream = Upstream::start(move |peer| {
            let (asked, answers, answered) = &*gates.lock().unwrap();
            if peer.head().is_some() {
                asked.send(()).unwrap();
                answers.recv().unwrap();
                peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
                answered.send(()).unwrap();
                // With what there is of the request unread, which resets the connection.
            }
        });
        let outbound = Outbound::of(&upstream.url(), STRICT);
        let mut wire = outbound.wire();
        wire.send(format!("{request}{rest}"));
        has_asked.recv().unwrap();
        outbound.suspend();
        answer.send(()).unwrap();
        has_answered.recv().unwrap();
        // All bounds of time are over when it looks.
        std::thread::sleep(Duration::from_millis(600));
        outbound.resume();
        assert_eq!(wire.answer().is(413).text(), "big", "{request}");
        outbound.stop();
    }
}

#[test]
fn an_upload_that_stalls_ends_on_whichever_side_it_does() {
    let upstream = Upstream::start(|peer| {
        let Some(mut request) = peer.head() else { return };
        match request.target.as_str() {
            "/unread" => std::thread::sleep(Duration::from_secs(3)),
            _ => assert_eq!(peer.body(&mut request), None, "the request is never whole"),
        }
    });
    let outbound = Outbound::of(&upstream.url(), STRICT);
    // The upstream does not read on.
    let mut wire = outbound.wire();
    let mut twin = wire.twin();
    // Made before the head is sent: on a busy machine that took longer than a client may keep silent.
    let body = vec![b'x'; 100_000_000];
    wire.send("POST /unread HTTP/1.1\r\nHost: test\r\nContent-Length: 100000000\r\n\r\n");
    let sending = std::thread::spawn(move || {
        let _ = twin.try_send(body);
    });
    wire.answer().refuses(504, "upstream_timeout");
    drop(wire);
    sending.join().unwrap();
    // The client does not send on.
    for framing in ["Content-Length: 10", "Transfer-Encoding: chunked"] {
        let mut wire = outbound.wire();
        wire.send(format!("POST /client HTTP/1.1\r\nHost: test\r\n{framing}\r\n\r\n5\r\nab"));
        let answer = wire.answer().refuses(408, "client_timeout");
        assert_eq!(answer.field("connection"), Some("close"));
    }
    upstream.wait("its connections are closed", |upstream| upstream.open() == 0);
    outbound.wait_until_idle();
    outbound.stop();
}

#[test]
fn a_body_that_one_side_does_not_take_is_not_kept_in_memory() {
    let sent = Arc::new(AtomicU64::new(0));
    let stop = Arc::new(AtomicBool::new(false));
    let (counter, stopped) = (Arc::clone(&sent), Arc::clone(&stop));
    let upstream = Upstream::start(move |peer| {
        let Some(request) = peer.head() else { return };
        if request.method == "POST" {
            while !stopped.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(10));
            }
            return;
        }
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
        let piece = vec![b'x'; 100_000];
        for _ in 0..10_000 {
            if !peer.send(&piece) {
                return;
            }
            counter.fetch_add(100_000, Ordering::Relaxed);
        }
    });
    let outbound = Outbound::of(&upstream.url(), ONCE);
    let before = outbound.memory();
    // Ten clients that read 1 KB/s of 1 GB, and ten that send what nobody reads.
    let mut readers: Vec<_> =
        (0..10).map(|number| if number % 2 == 0 { outbound.wire() } else { outbound.tcp() }).collect();
    for wire in &mut readers {
        wire.send("GET /big HTTP/1.1\r\nHost: test\r\n\r\n");
        assert_eq!(wire.head().status, 200);
    }
    let mut writers: Vec<_> = (0..10).map(|_| outbound.wire()).collect();
    let taken = Arc::new(AtomicU64::new(0));
    let mut writing = Vec::new();
    for wire in &mut writers {
        wire.send("POST /big HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000000\r\n\r\n");
        let (mut twin, taken) = (wire.twin(), Arc::clone(&taken));
        writing.push(std::thread::spawn(move || {
            let piece = vec![b'x'; 10_000];
            while twin.try_send(&piece).is_ok() {
                taken.fetch_add(10_000, Ordering::Relaxed);
            }
        }));
    }
    let mut most = 0;
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(100));
        for wire in &mut readers {
            wire.take(100);
        }
        most = most.max(outbound.memory());
    }
    let grown = most.saturating_sub(before);
    assert!(grown < 16 << 20, "{grown} bytes more for twenty bodies");
    let (sent, taken) = (sent.load(Ordering::Relaxed), taken.load(Ordering::Relaxed));
    println!("memory: {grown} bytes more; of upstreams {sent} bytes were taken, of clients {taken}");
    // What the system keeps for the sockets on the way.
    assert!(sent < 200_000_000, "{sent} bytes were taken of an upstream for clients that had read none of them");
    assert!(taken < 200_000_000, "{taken} bytes were taken of clients for an upstream that reads none");
    stop.store(true, Ordering::Relaxed);
    for wire in readers.iter().chain(&writers) {
        wire.end();
    }
    for writer in writing {
        writer.join().unwrap();
    }
    upstream.wait("its connections are closed", |upstream| upstream.open() == 0);
    outbound.wait_until_idle();
    outbound.stop();
}

#[test]
fn a_client_that_does_not_take_its_answer_is_given_up() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
        while peer.send([b'x'; 10_000]) {}
    });
    let outbound = Outbound::of(&upstream.url(), STRICT);
    let mut wire = outbound.wire();
    wire.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n");
    upstream.wait("its connection is closed", |upstream| upstream.accepted() == 1 && upstream.open() == 0);
    outbound.wait_until_idle();
    // It is not the upstream that was too slow.
    assert_eq!(
        outbound.metric("unladen_requests_total{upstream=\"test\",end=\"broken\",reason=\"client_timeout\"}"),
        Some(1.0)
    );
    let (rest, _) = wire.rest();
    assert!(rest.len() < 100_000_000);
    outbound.stop();
}

#[test]
fn a_client_that_goes_leaves_nothing_behind() {
    let upstream = Upstream::start(|peer| {
        let Some(mut request) = peer.head() else { return };
        match request.target.as_str() {
            "/waiting" => peer.wait_for_end(),
            "/uploading" => assert_eq!(peer.body(&mut request), None),
            "/answering" => {
                peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
                // Nothing more comes that the client could be missed for.
                peer.wait_for_end();
            }
            "/flowing" => {
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
                while peer.send([b'x'; 10_000]) {}
            }
            other => panic!("{other}"),
        }
    });
    // One at a time: whoever is left behind is in the way of the next.
    let outbound = Outbound::of(&upstream.url(), "breaker = false\nlimits = { requests = 1 }");
    for path in ["/waiting", "/uploading", "/answering", "/flowing"] {
        for mut wire in [outbound.wire(), outbound.tcp()] {
            let method = if path == "/uploading" { "POST" } else { "GET" };
            let length = if path == "/uploading" { "Content-Length: 100\r\n" } else { "" };
            let before = upstream.seen().len();
            wire.send(format!("{method} {path} HTTP/1.1\r\nHost: test\r\n{length}\r\n"));
            match path {
                "/uploading" => wire.send("some of it"),
                "/waiting" => (),
                _ => assert_eq!(wire.head().status, 200),
            }
            upstream.wait("the request has come", |upstream| upstream.seen().len() > before);
            drop(wire);
            upstream.wait("its connection is closed", |upstream| upstream.open() == 0);
            outbound.wait_until_idle();
        }
    }
    assert_eq!(upstream.seen().len(), 8);
    outbound.stop();
}
