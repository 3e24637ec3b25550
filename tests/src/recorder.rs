//! The principal type is [`Recorder`]: an upstream that keeps each byte it is sent, reads it in its own way, and
//! answers as it is told, well or badly.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// An upstream on a free port of this machine, for as long as the test runs.
///
/// It is one thread that reads all that has come on all connections before it answers anything: when a request is
/// answered, whatever was sent before it has been recorded.
#[derive(Debug)]
pub struct Recorder {
    address: SocketAddr,
    record: Arc<Mutex<Vec<Recorded>>>,
}

/// What came on one connection.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// Whole requests, each with all of its bytes.
    pub requests: Vec<Vec<u8>>,
    /// What is no whole request yet.
    pub rest: Vec<u8>,
    /// Whether the peer has closed it.
    pub closed: bool,
    /// What no reader should be sent.
    pub fault: Option<String>,
}

/// A part of an answer.
#[derive(Debug, Clone)]
pub enum Part {
    /// These bytes, in one piece.
    Bytes(Vec<u8>),
    /// A wait.
    Pause(Duration),
    /// What is waited for by the other end of this: what was before it has been sent.
    Tell(Sender<()>),
    /// The connection's end.
    Close,
}

struct Connection {
    stream: TcpStream,
    at: usize,
    gone: bool,
}

impl Recorder {
    /// Answers each whole request, given all of its bytes.
    pub fn start(answer: impl Fn(&[u8]) -> Vec<Part> + Send + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a socket that does not block");
        let address = listener.local_addr().expect("its address");
        let record = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&record);
        std::thread::spawn(move || run(&listener, &kept, answer));
        Self { address, record }
    }

    /// Answers with 200 and the request's target.
    pub fn good() -> Self {
        Self::start(|request| vec![Part::Bytes(good(request))])
    }

    /// Where it is: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What has come since this was asked the last time, by connection; of those on which anything has.
    pub fn take(&self) -> Vec<Recorded> {
        let mut record = self.record.lock().expect("the record");
        let taken = record.clone();
        for recorded in &mut *record {
            recorded.requests.clear();
            recorded.rest.clear();
        }
        taken.into_iter().filter(|recorded| !recorded.requests.is_empty() || !recorded.rest.is_empty()).collect()
    }

    /// The first thing that came that no reader should be sent.
    pub fn fault(&self) -> Option<String> {
        self.record.lock().expect("the record").iter().find_map(|recorded| recorded.fault.clone())
    }

    /// Connections that it has taken until now.
    pub fn connections(&self) -> usize {
        self.record.lock().expect("the record").len()
    }
}

/// 200, and the request's target.
pub fn good(request: &[u8]) -> Vec<u8> {
    let target = request.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    let body = if request.starts_with(b"HEAD ") { &[] } else { target };
    [format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", target.len()).as_bytes(), body].concat()
}

fn run(listener: &TcpListener, record: &Mutex<Vec<Recorded>>, answer: impl Fn(&[u8]) -> Vec<Part>) {
    let mut connections: Vec<Connection> = Vec::new();
    loop {
        let mut waited = vec![PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
        waited.extend(connections.iter().map(|one| PollFd::new(one.stream.as_fd(), PollFlags::POLLIN)));
        if poll(&mut waited, PollTimeout::NONE).is_err() {
            continue;
        }
        drop(waited);
        let mut asked = VecDeque::new();
        // Twice: what was sent before that which is read last may have come after the first look at its connection.
        for _ in 0..2 {
            while let Ok((stream, _)) = listener.accept() {
                let _ = stream.set_nodelay(true);
                stream.set_nonblocking(true).expect("a socket that does not block");
                let mut record = record.lock().expect("the record");
                connections.push(Connection { stream, at: record.len(), gone: false });
                record.push(Recorded::default());
            }
            let mut record = record.lock().expect("the record");
            for (number, connection) in connections.iter_mut().enumerate().filter(|(_, connection)| !connection.gone) {
                read_all(connection, &mut record[connection.at], number, &mut asked);
            }
        }
        for (number, request) in asked {
            for part in answer(&request) {
                give(&mut connections[number], &part);
            }
        }
        connections.retain(|connection| !connection.gone);
    }
}

fn read_all(
    connection: &mut Connection,
    recorded: &mut Recorded,
    number: usize,
    asked: &mut VecDeque<(usize, Vec<u8>)>,
) {
    let mut piece = [0; 64 * 1024];
    loop {
        match connection.stream.read(&mut piece) {
            Ok(0) => (connection.gone, recorded.closed) = (true, true),
            Ok(count) => {
                recorded.rest.extend_from_slice(&piece[..count]);
                continue;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => (connection.gone, recorded.closed) = (true, true),
        }
        break;
    }
    loop {
        match message(&recorded.rest) {
            Ok(Some(length)) => {
                let rest = recorded.rest.split_off(length);
                let request = std::mem::replace(&mut recorded.rest, rest);
                asked.push_back((number, request.clone()));
                recorded.requests.push(request);
            }
            Ok(None) => return,
            Err(fault) => {
                let bytes = recorded.rest.escape_ascii();
                recorded.fault.get_or_insert_with(|| format!("{fault}: {bytes}"));
                connection.gone = true;
                return;
            }
        }
    }
}

fn give(connection: &mut Connection, part: &Part) {
    match part {
        Part::Bytes(bytes) => {
            let _ = connection.stream.set_nonblocking(false);
            let _ = connection.stream.write_all(bytes);
            let _ = connection.stream.set_nonblocking(true);
        }
        Part::Pause(time) => std::thread::sleep(*time),
        Part::Tell(who) => _ = who.send(()),
        Part::Close => {
            let _ = connection.stream.shutdown(std::net::Shutdown::Both);
            connection.gone = true;
        }
    }
}

/// How long the request is that `bytes` begin with, if it is whole: read apart from Unladen's own code, and with less
/// patience.
fn message(bytes: &[u8]) -> Result<Option<usize>, &'static str> {
    let Some(end) = find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let (head, body) = (&bytes[..end], &bytes[end + 4..]);
    // As Latin-1.
    let text: String = head.iter().map(|byte| char::from(*byte)).collect();
    let mut lines = text.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, "HTTP/1.1"] = first[..] else { return Err("its first line is none") };
    if method.is_empty() || !(target.starts_with('/') || target == "*") {
        return Err("its first line is none");
    }
    let (mut hosts, mut lengths, mut codings) = (0, Vec::new(), 0);
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { return Err("a field has no colon") };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_name) {
            return Err("the name of a field is none");
        }
        if value.chars().any(|char| char != '\t' && (char < ' ' || char == '\u{7f}')) {
            return Err("the value of a field has control characters");
        }
        match name.to_ascii_lowercase().replace('_', "-").as_str() {
            "host" => hosts += 1,
            "content-length" => lengths.push(value.trim().parse::<usize>().map_err(|_| "the length is none")?),
            "transfer-encoding" if value.trim() == "chunked" => codings += 1,
            "transfer-encoding" => return Err("the coding is not chunked"),
            _ => {}
        }
    }
    if hosts != 1 || lengths.len() + codings > 1 {
        return Err("it has not one host, or more than one length");
    }
    let length = match lengths.first() {
        _ if codings == 1 => chunks(body)?,
        Some(length) => (body.len() >= *length).then_some(*length),
        None => Some(0),
    };
    Ok(length.map(|length| end + 4 + length))
}

// The length of a body in chunks.
fn chunks(bytes: &[u8]) -> Result<Option<usize>, &'static str> {
    let mut at = 0;
    loop {
        let Some(line) = find(&bytes[at..], b"\r\n") else { return Ok(None) };
        let digits = str::from_utf8(&bytes[at..at + line]).unwrap_or_default();
        let Ok(size) = usize::from_str_radix(digits, 16) else { return Err("the size of a chunk is none") };
        at += line + 2;
        if size == 0 {
            // Either the empty line, or trailers and then one.
            let end = if bytes[at..].starts_with(b"\r\n") {
                Some(2)
            } else {
                find(&bytes[at..], b"\r\n\r\n").map(|end| end + 4)
            };
            return Ok(end.map(|end| at + end));
        }
        if bytes.len() < at + size + 2 {
            return Ok(None);
        }
        if &bytes[at + size..at + size + 2] != b"\r\n" {
            return Err("a chunk does not end where it says");
        }
        at += size + 2;
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
