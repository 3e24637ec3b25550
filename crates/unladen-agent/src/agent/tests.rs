use std::io::Write as _;
use std::time::Duration;

use unladen_probe::GroupBy;

use super::*;
use crate::frame::{FrameReader, FrameWriter, encode};
use crate::probes::ProbeAnswer;

/// An agent in a thread, and its pipes.
struct Peer {
    to: Option<File>,
    from: FrameReader<File>,
    thread: std::thread::JoinHandle<Result<(), AgentError>>,
}

impl Peer {
    fn new() -> Self {
        let (input, to) = std::io::pipe().unwrap();
        let (from, output) = std::io::pipe().unwrap();
        let file = |fd: std::os::fd::OwnedFd| File::from(fd);
        let agent = Agent::new(file(input.into()), file(output.into()), || ());
        let thread = std::thread::spawn(|| agent.run());
        Self { to: Some(file(to.into())), from: FrameReader::new(file(from.into())), thread }
    }

    fn greeted() -> Self {
        let mut peer = Self::new();
        assert_eq!(Hello::decode(&peer.from.read().unwrap()), Some(Hello::own()));
        peer.send(&Hello::own().encode());
        peer
    }

    fn send(&mut self, body: &[u8]) {
        FrameWriter::new(self.to.as_mut().unwrap()).write(body).unwrap();
    }

    fn ask(&mut self, ask: &Ask) -> Answer {
        self.send(&encode(ask).unwrap());
        decode(&self.from.read().unwrap()).unwrap()
    }

    fn end(mut self) -> Result<(), AgentError> {
        self.to = None;
        self.thread.join().unwrap()
    }
}

#[test]
fn an_agent_says_the_time_and_what_has_grown() {
    let mut peer = Peer::greeted();
    let before = unladen_probe::monotonic_ns();
    let Answer::Pong { id: 7, at_ns } = peer.ask(&Ask::Ping { id: 7 }) else { panic!("no pong") };
    assert!((before..=unladen_probe::monotonic_ns()).contains(&at_ns));

    let Answer::Probes(ProbeAnswer::Opened(opened)) = peer.ask(&Ask::Probes(ProbeAsk::Open { by: GroupBy::Auto }))
    else {
        panic!("not opened")
    };
    assert!(opened.counters.iter().any(|counter| counter.name == "cpu" && counter.unit == "ns"));
    let read = |peer: &mut Peer, id| match peer.ask(&Ask::Probes(ProbeAsk::Read { id })) {
        Answer::Probes(ProbeAnswer::Reading { id: of, at_ns, new_groups, .. }) if of == id => (at_ns, new_groups),
        other => panic!("{other:?}"),
    };
    let (first, groups) = read(&mut peer, 1);
    assert_eq!(groups[0].name, "machine");
    let (second, again) = read(&mut peer, 2);
    assert!(second > first && first > before);
    assert!(again.len() < groups.len(), "groups are told once");
    peer.end().unwrap();
}

#[test]
fn what_cannot_be_done_is_refused_and_the_session_goes_on() {
    let mut peer = Peer::greeted();
    let answer = peer.ask(&Ask::Probes(ProbeAsk::Read { id: 3 }));
    assert_eq!(answer, Answer::Refused { id: 3, why: "the probes are not open yet".into() });
    assert!(matches!(peer.ask(&Ask::Ping { id: 1 }), Answer::Pong { .. }));
    peer.send(&encode(&Ask::Bye).unwrap());
    assert!(matches!(peer.from.read(), Err(FrameError::End)), "it has ended by itself");
    peer.thread.join().unwrap().unwrap();
}

#[test]
fn a_controller_of_another_version_is_told_both() {
    let mut peer = Peer::new();
    peer.send(&Hello { protocol: 99, version: "8.0".into() }.encode());
    let error = peer.end().unwrap_err().to_string();
    assert!(error.contains("unladen 8.0 with protocol 99") && error.contains("with protocol 3"), "{error}");
}

#[test]
fn what_is_no_question_ends_the_agent_and_does_not_break_it() {
    for garbage in [&b"GET / HTTP/1.1"[..], b"", b"UNLADEN"] {
        let mut peer = Peer::new();
        peer.send(garbage);
        assert!(matches!(peer.end(), Err(AgentError::NoHello)));
    }
    let mut peer = Peer::greeted();
    peer.send(&[0xff; 30]);
    assert!(matches!(peer.end(), Err(AgentError::Codec(_))));
    let mut peer = Peer::greeted();
    peer.to.as_mut().unwrap().write_all(&u32::MAX.to_le_bytes()).unwrap();
    assert!(matches!(peer.end(), Err(AgentError::Frame(FrameError::TooLong(_)))));
    let mut peer = Peer::greeted();
    peer.to.as_mut().unwrap().write_all(&[9, 0, 0, 0, 1]).unwrap();
    assert!(matches!(peer.end(), Err(AgentError::Frame(FrameError::Cut))));
}

#[test]
fn an_agent_that_hears_nothing_ends() {
    let (input, _open) = std::io::pipe().unwrap();
    let inbox = Inbox::new(std::os::fd::OwnedFd::from(input).into(), Duration::from_millis(20), || ());
    assert!(matches!(inbox.next(), Err(AgentError::Silence)));
}
