//! What a server does about frames: each of the `cases` on a connection of its own, and what takes more than one
//! message to try.

use std::os::unix::net::UnixStream;

use unladen_tests::Recorder;
use unladen_tests::frames::{Frame, Http2, PREFACE, code, flag, kind};

use crate::cases::{Case, Does, frames, packing};
use crate::support::{answer, client, connect, is_alive, ping, request, serve};
use Does::{Answers, Ends, Goes, Resets};

fn check(cases: Vec<Case>) {
    let upstream = Recorder::good();
    let serve = serve(&upstream.url(), "");
    let mut wrong = Vec::new();
    for (section, name, bytes, does) in cases {
        let mut client = client(&serve);
        client.say(&bytes);
        let done = outcome(&mut client, does);
        if let Err(done) = done {
            wrong.push(format!("{section}, {name}: {does:?} was to be, and it was {done}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    serve.stop();
}

fn outcome(client: &mut Http2<UnixStream>, does: Does) -> Result<(), String> {
    let said = |what: &str| Err(what.to_owned());
    match does {
        Goes if is_alive(client) => Ok(()),
        Goes => said("the end"),
        Answers => match answer(client, 1) {
            Some((200, _)) if is_alive(client) => Ok(()),
            other => Err(format!("{other:?}")),
        },
        Resets(code) => {
            let frame = client.wait(|frame| frame.code().is_some());
            match frame {
                Some(frame) if frame.kind == kind::RST_STREAM && frame.code() == Some(code) && frame.stream == 1 => {
                    if is_alive(client) {
                        Ok(())
                    } else {
                        said("the end as well")
                    }
                }
                Some(frame) if frame.kind == kind::GOAWAY && is(&frame, code) => ends(client),
                other => Err(format!("{other:?}")),
            }
        }
        Ends(code) => match client.wait(|frame| frame.kind == kind::GOAWAY) {
            Some(frame) if is(&frame, code) => ends(client),
            other => Err(format!("{other:?}")),
        },
    }
}

fn is(frame: &Frame, code: u32) -> bool {
    frame.code().is_some_and(|own| own == code || own == code::PROTOCOL_ERROR)
}

fn ends(client: &mut Http2<UnixStream>) -> Result<(), String> {
    client.wait(|frame| frame.kind == kind::PING).map_or(Ok(()), |_| Err("no end".to_owned()))
}

#[test]
fn frames_are_what_they_may_be() {
    check(frames());
}

#[test]
fn heads_are_unpacked_as_they_were_packed() {
    check(packing());
}

#[test]
fn a_connection_begins_with_a_preface_and_settings() {
    let upstream = Recorder::good();
    let serve = serve(&upstream.url(), "");
    let begin = |bytes: &[u8]| {
        let mut peer = Http2::new(connect(&serve));
        peer.say(bytes);
        peer
    };
    // Settings come first, whatever the client has said by then.
    let mut peer = begin(&[PREFACE, &Frame::settings(&[]).bytes(), &request(1, "GET", "/", true).bytes()].concat());
    let first = peer.frame().unwrap();
    assert_eq!((first.kind, first.flags, first.stream), (kind::SETTINGS, 0, 0));
    let push = first.payload.chunks(6).find(|setting| setting[..2] == [0, 2]);
    assert!(push.is_none_or(|setting| setting[2..] == [0, 0, 0, 0]), "{first:?}");
    assert!(peer.wait(|frame| frame.kind == kind::SETTINGS && frame.flags == flag::ACK).is_some());
    assert_eq!(answer(&mut peer, 1), Some((200, b"/".to_vec())));
    for preface in [
        "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\rX",
        "PRI * HTTP/2.0\r\nHost: a\r\n\r\n",
        "PRI / HTTP/2.0\r\n\r\n",
    ] {
        let mut peer = begin(&[preface.as_bytes(), &Frame::settings(&[]).bytes()].concat());
        assert!(!is_alive(&mut peer), "{preface:?}");
    }
    // Byte by byte.
    let mut peer = Http2::new(connect(&serve));
    for byte in [PREFACE, &Frame::settings(&[(1, 0)]).bytes(), &request(1, "GET", "/", true).bytes()].concat() {
        peer.say(&[byte]);
    }
    assert_eq!(answer(&mut peer, 1), Some((200, b"/".to_vec())));
    drop(peer);
    assert_eq!(upstream.fault(), None);
    serve.stop();
}

#[test]
fn pings_are_answered_with_what_they_carry() {
    let upstream = Recorder::good();
    let serve = serve(&upstream.url(), "");
    let mut client = client(&serve);
    for number in [1, 0xdead_beef, u64::MAX] {
        client.send(&ping(number));
        let answer = client.wait(|frame| frame.kind == kind::PING).unwrap();
        assert_eq!((answer.flags, answer.stream, answer.payload), (flag::ACK, 0, number.to_be_bytes().to_vec()));
    }
    drop(client);
    serve.stop();
}

#[test]
fn no_more_is_sent_than_the_windows_allow() {
    let upstream = Recorder::good();
    let serve = serve(&upstream.url(), "");
    let mut client = client(&serve);
    client.send(&Frame::settings(&[(4, 1)]));
    // The answer is its own path, of 20 bytes.
    let path = "/3456789012345678901";
    client.send(&request(1, "GET", path, true));
    let mut body = Vec::new();
    let mut data = |client: &mut Http2<_>, count: usize| {
        let start = body.len();
        while body.len() - start < count {
            let frame = client.wait(|frame| frame.kind == kind::DATA).unwrap();
            body.extend_from_slice(&frame.payload);
            assert!(body.len() - start <= count, "more than the window");
        }
        // Nothing more comes.
        client.send(&ping(7));
        let next = client.wait(|frame| frame.kind == kind::PING || !frame.payload.is_empty()).unwrap();
        assert_eq!(next.kind, kind::PING, "more than the window");
        body.clone()
    };
    assert_eq!(data(&mut client, 1), b"/");
    client.send(&Frame::window(1, 3));
    assert_eq!(data(&mut client, 3), b"/345");
    // All windows become wider by four, and then narrower than they are.
    client.send(&Frame::settings(&[(4, 5)]));
    assert_eq!(data(&mut client, 4), b"/3456789");
    client.send(&Frame::settings(&[(4, 0)]));
    client.send(&Frame::window(1, 5));
    assert_eq!(data(&mut client, 0), b"/3456789");
    client.send(&Frame::window(1, 2));
    assert_eq!(data(&mut client, 2), b"/345678901");
    client.send(&Frame::window(1, 100));
    let rest = client.wait(|frame| frame.kind == kind::DATA).unwrap();
    assert_eq!(rest.payload, b"2345678901");
    drop(client);
    serve.stop();
}

#[test]
fn streams_beyond_the_bound_are_refused() {
    // It never answers.
    let upstream = Recorder::start(|_| Vec::new());
    let serve = serve(&upstream.url(), "[outbound.client]\nstreams = 2\n");
    let mut client = client(&serve);
    // The bound holds when the settings have been acknowledged.
    let settings = client.wait(|frame| frame.kind == kind::SETTINGS && frame.flags == 0).unwrap();
    assert!(settings.payload.chunks(6).any(|setting| *setting == [0, 3, 0, 0, 0, 2]), "{settings:?}");
    for stream in [1, 3, 5] {
        client.send(&request(stream, "GET", "/", true));
    }
    let reset = client.wait(|frame| frame.kind == kind::RST_STREAM).unwrap();
    assert_eq!((reset.stream, reset.code()), (5, Some(code::REFUSED_STREAM)));
    // One that is taken back makes room.
    client.send(&Frame::reset(1, code::CANCEL));
    assert!(is_alive(&mut client));
    client.send(&request(7, "GET", "/", true));
    assert!(is_alive(&mut client));
    drop(client);
    serve.stop();
}

#[test]
fn more_than_the_window_is_refused() {
    let (url, _listener) = crate::floods::deaf();
    let serve = serve(&url, "");
    let mut client = client(&serve);
    assert!(is_alive(&mut client));
    client.send(&request(1, "POST", "/", false));
    // What the socket to the upstream holds is not known; but this is beyond that and the window.
    for _ in 0..1000 {
        client.send(&Frame::data(1, vec![b'x'; 16_384], false));
    }
    let ended = client.wait(|frame| frame.code().is_some()).unwrap();
    assert_eq!(ended.code(), Some(code::FLOW_CONTROL_ERROR), "{ended:?}");
    drop(client);
    serve.stop();
}

#[test]
fn who_waits_is_told_of_the_end() {
    let upstream = Recorder::good();
    let serve = serve(&upstream.url(), "");
    let mut client = client(&serve);
    client.send(&request(1, "GET", "/", true));
    assert_eq!(answer(&mut client, 1), Some((200, b"/".to_vec())));
    serve.running().signal(nix::sys::signal::Signal::SIGTERM);
    // It does not answer the PING that comes with the first of them.
    let first = client.wait(|frame| frame.kind == kind::GOAWAY).unwrap();
    assert_eq!(first.code(), Some(code::NO_ERROR));
    let mut last = first;
    while let Some(frame) = client.wait(|frame| frame.kind == kind::GOAWAY) {
        last = frame;
    }
    // The last one tells which requests were answered.
    assert_eq!((last.code(), &last.payload[..4]), (Some(code::NO_ERROR), &[0, 0, 0, 1][..]));
    serve.wait();
}
