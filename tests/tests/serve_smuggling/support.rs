//! What the tables share: a place to send their bytes to, and what becomes of them.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use unladen_tests::{Recorder, Serve};

/// For an answer that has to come.
const LONG: Duration = Duration::from_secs(20);

/// `unladen serve` in front of an upstream.
pub(crate) struct Contact<U = Recorder> {
    pub(crate) serve: Serve,
    pub(crate) upstream: U,
    canaries: std::cell::Cell<u32>,
}

/// An answer of HTTP/1.1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// What a connection said in the end.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) answers: Vec<Answer>,
    /// What is no whole answer.
    pub(crate) rest: Vec<u8>,
    /// Whether it has been closed.
    pub(crate) closed: bool,
}

// === impl Contact ===

impl Contact<()> {
    /// In front of a server elsewhere.
    pub(crate) fn at(upstream: &str, settings: &str) -> Self {
        let config = format!(
            "threads = 1\n[[outbound]]\nname = \"a\"\nlisten = \"unix:DIR/a.sock\"\nupstream = \"{upstream}\"\n\
             breaker = false\noutlier = false\n{settings}"
        );
        Self { serve: Serve::start(&config), upstream: (), canaries: 0.into() }
    }
}

impl<U> Contact<U> {
    pub(crate) fn connect(&self) -> UnixStream {
        self.serve.connect("a.sock")
    }
}

impl Contact {
    /// With further settings of the listener.
    pub(crate) fn new(upstream: Recorder, settings: &str) -> Self {
        let Contact { serve, .. } = Contact::at(&upstream.url(), settings);
        Self { serve, upstream, canaries: 0.into() }
    }

    /// In which requests are sent on with as little changed as can be.
    pub(crate) fn plain(upstream: Recorder) -> Self {
        Self::new(upstream, "host = \"keep\"\nvia = false\nrequest_id = false\n")
    }

    #[track_caller]
    pub(crate) fn canary(&self, context: &str) {
        let number = self.canaries.replace(self.canaries.get() + 1);
        let mut stream = self.connect();
        stream.write_all(format!("GET /canary/{number} HTTP/1.1\r\nHost: c\r\n\r\n").as_bytes()).unwrap();
        let said = hear(&mut stream, 1);
        let body = said.answers.first().map(|answer| String::from_utf8_lossy(&answer.body).into_owned());
        assert_eq!(body, Some(format!("/canary/{number}")), "another client's answer: {said:?}, after {context}");
        assert_eq!((said.answers.len(), &*said.rest), (1, &b""[..]), "after {context}");
    }

    /// The requests that arrived besides canaries, and what is left of those that are not whole.
    pub(crate) fn arrived(&self) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
        let (mut whole, mut parts) = (Vec::new(), Vec::new());
        for recorded in self.upstream.take() {
            whole.extend(recorded.requests.into_iter().filter(|request| !request.starts_with(b"GET /canary/")));
            parts.extend((!recorded.rest.is_empty()).then_some(recorded.rest));
        }
        (whole, parts)
    }

    /// Ends it, when nothing may have gone wrong that nobody saw.
    #[track_caller]
    pub(crate) fn end(self) {
        assert_eq!(self.upstream.fault(), None);
        self.serve.stop();
    }
}

/// The bytes of a table's text: `¶` is CRLF, and what is beyond ASCII is one byte (Latin-1).
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let each = text.chars().map(|char| if char == '¶' { vec![b'\r', b'\n'] } else { vec![char as u8] });
    each.collect::<Vec<_>>().concat()
}

/// Says this, whole or byte by byte; a peer that does not listen to the end is not waited for.
pub(crate) fn say(stream: &mut UnixStream, bytes: &[u8], piece: usize) {
    for piece in bytes.chunks(piece) {
        if stream.write_all(piece).is_err() {
            return;
        }
    }
}

/// Reads so many answers, or (0) until the connection ends.
pub(crate) fn hear(stream: &mut UnixStream, count: usize) -> Said {
    hear_of(stream, count, |_| "GET")
}

/// The same; `method` tells what each answer is for, counted from 0.
pub(crate) fn hear_of(stream: &mut UnixStream, count: usize, method: impl Fn(usize) -> &'static str) -> Said {
    stream.set_read_timeout(Some(LONG)).unwrap();
    let mut said = Said::default();
    let mut piece = [0; 64 * 1024];
    while count == 0 || said.answers.len() < count {
        match stream.read(&mut piece) {
            Ok(0) => said.closed = true,
            Ok(read) => said.rest.extend_from_slice(&piece[..read]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => said.closed = true,
            Err(error) => panic!("nothing more is said ({error}) after {said:?}"),
        }
        while count == 0 || said.answers.len() < count {
            let Some((answer, length)) = read(&said.rest, method(said.answers.len()), said.closed) else { break };
            said.answers.push(answer);
            said.rest.drain(..length);
        }
        if said.closed {
            break;
        }
    }
    said
}

/// The answer that `bytes` begin with, if it is whole, and its length. Interim ones are passed over.
fn read(bytes: &[u8], method: &str, closed: bool) -> Option<(Answer, usize)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let status: u16 =
        head.get(9..12).and_then(|digits| digits.parse().ok()).unwrap_or_else(|| panic!("no status: {head}"));
    if status < 200 && status != 101 {
        let (answer, length) = read(&bytes[end..], method, closed)?;
        return Some((answer, end + length));
    }
    let value = |name: &str| head.split("\r\n").find_map(|line| line.strip_prefix(name)).map(str::trim);
    let rest = &bytes[end..];
    let (body, length) = if method == "HEAD" || matches!(status, 101 | 204 | 304) {
        (Vec::new(), 0)
    } else if let Some(length) = value("content-length:") {
        let length = length.parse().unwrap_or_else(|_| panic!("no length: {head}"));
        (rest.get(..length)?.to_vec(), length)
    } else if value("transfer-encoding:").is_some() {
        chunks(rest)?
    } else {
        closed.then(|| (rest.to_vec(), rest.len()))?
    };
    Some((Answer { status, head, body }, end + length))
}

/// A body in chunks, and how long it is with its frame; trailers are passed over.
pub(crate) fn chunks(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut at, mut body) = (0, Vec::new());
    loop {
        let line = bytes[at..].windows(2).position(|two| two == b"\r\n")?;
        let size = usize::from_str_radix(str::from_utf8(&bytes[at..at + line]).ok()?, 16).ok()?;
        at += line + 2;
        if size == 0 {
            let end = if bytes[at..].starts_with(b"\r\n") {
                2
            } else {
                bytes[at..].windows(4).position(|four| four == b"\r\n\r\n")? + 4
            };
            return Some((body, at + end));
        }
        body.extend_from_slice(bytes.get(at..at + size)?);
        at += size + 2;
    }
}
