//! What the tests share: a place of `unladen serve` and raw clients of it.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use unladen_tests::Serve;
use unladen_tests::frames::{Frame, Http2, flag, kind};

/// For an answer that has to come.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// `unladen serve` at `a.sock`, in front of this upstream, with further settings.
pub(crate) fn serve(upstream: &str, settings: &str) -> Serve {
    Serve::start(&format!(
        "threads = 1\n[[outbound]]\nname = \"a\"\nlisten = \"unix:DIR/a.sock\"\nupstream = \"{upstream}\"\n\
         breaker = false\noutlier = false\n{settings}"
    ))
}

/// A client of HTTP/2 that has said who it is.
pub(crate) fn client(serve: &Serve) -> Http2<UnixStream> {
    Http2::client(connect(serve))
}

pub(crate) fn connect(serve: &Serve) -> UnixStream {
    let stream = serve.connect("a.sock");
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.set_write_timeout(Some(LONG)).unwrap();
    stream
}

/// The head of a request.
pub(crate) fn request(stream: u32, method: &str, path: &str, ends: bool) -> Frame {
    let fields: [(&[u8], &[u8]); 4] =
        [(b":method", method.as_bytes()), (b":scheme", b"http"), (b":path", path.as_bytes()), (b":authority", b"a")];
    Frame::head(stream, &fields, ends)
}

/// PING, which is answered when all before it has been read.
pub(crate) fn ping(number: u64) -> Frame {
    Frame::new(kind::PING, 0, 0, number.to_be_bytes())
}

/// Whether the connection goes on: it answers.
pub(crate) fn is_alive(client: &mut Http2<UnixStream>) -> bool {
    let ask = ping(0x00a1_1fe0);
    client.send(&ask);
    client.wait(|frame| frame.kind == kind::PING && frame.flags == flag::ACK && frame.payload == ask.payload).is_some()
}

/// The answer on a stream: its status and body; none if there is none.
pub(crate) fn answer(client: &mut Http2<UnixStream>, stream: u32) -> Option<(u16, Vec<u8>)> {
    let (mut status, mut body) = (0, Vec::new());
    loop {
        let frame = client.wait(|frame| frame.stream == stream || frame.kind == kind::GOAWAY)?;
        match frame.kind {
            kind::GOAWAY | kind::RST_STREAM => return None,
            kind::HEADERS => status = frame.status().unwrap_or(status),
            kind::DATA => {
                if !frame.payload.is_empty() {
                    client.send(&Frame::window(0, frame.payload.len() as u32));
                    client.send(&Frame::window(stream, frame.payload.len() as u32));
                }
                body.extend_from_slice(&frame.payload);
            }
            _ => {}
        }
        if frame.ends() {
            return Some((status, body));
        }
    }
}

/// What a client of HTTP/1.1 is answered: all until the connection's end, as text. The first time the peer closes, it
/// is whole.
pub(crate) fn ask(serve: &Serve, method: &str, target: &str, more: &str) -> String {
    let mut stream = connect(serve);
    let _ = write!(stream, "{method} {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{more}\r\n");
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    String::from_utf8_lossy(&all).into_owned()
}

/// Another client's request, which must be answered.
#[track_caller]
pub(crate) fn is_served(serve: &Serve, context: &str) {
    let answer = ask(serve, "GET", "/", "");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{context}: {answer:?}");
}

/// Memory that the process holds, in MiB.
pub(crate) fn memory(serve: &Serve) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", serve.running().pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}
