//! The principal types are [`Client`], which forgives nothing, and [`Load`], many requests of such.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use unladen_tests::wait;

/// A client that forgives nothing: whatever goes wrong is an error, and nothing is sent a second time.
pub struct Client<S> {
    stream: BufReader<S>,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// `Connection: close`
    pub is_last: bool,
}

impl Client<TcpStream> {
    #[track_caller]
    pub fn tcp(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap_or_else(|error| panic!("nobody listens at {address}: {error}"));
        Self::of(stream)
    }

    #[track_caller]
    pub fn tcp_when_it_listens(address: SocketAddr) -> Self {
        Self::of(wait::until_ok("somebody listens", || TcpStream::connect(address)))
    }
}

impl Client<UnixStream> {
    #[track_caller]
    pub fn unix_when_it_listens(path: &Path) -> Self {
        Self::of(wait::until_ok("somebody listens", || UnixStream::connect(path)))
    }
}

impl<S: Read + Write> Client<S> {
    pub fn of(stream: S) -> Self {
        Self { stream: BufReader::new(stream) }
    }

    pub fn into_stream(self) -> S {
        self.stream.into_inner()
    }

    /// Asks, and reads the whole answer.
    pub fn get(&mut self, path: &str) -> io::Result<Answer> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        self.line(&mut line)?;
        let bad = |what: &str| io::Error::other(format!("{what:?} is no answer"));
        let status = line.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or_else(|| bad(&line))?;
        let (mut length, mut is_last) = (None, false);
        loop {
            self.line(&mut line)?;
            let field = line.trim_end().to_ascii_lowercase();
            match field.split_once(':') {
                None if field.is_empty() => break,
                None => return Err(bad(&line)),
                Some(("content-length", value)) => length = value.trim().parse().ok(),
                Some(("connection", value)) => is_last = value.trim() == "close",
                Some(_) => {}
            }
        }
        let mut body = vec![0; length.ok_or_else(|| bad("an answer without a length"))?];
        self.stream.read_exact(&mut body)?;
        Ok(Answer { status, is_last })
    }

    fn line(&mut self, line: &mut String) -> io::Result<()> {
        line.clear();
        if self.stream.read_line(line)? == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

/// Requests without a pause, of several kinds of clients.
pub struct Load {
    is_over: Arc<AtomicBool>,
    clients: Vec<JoinHandle<Result<usize, String>>>,
}

impl Load {
    /// Two clients that keep their connections, and two that make one for each request.
    pub fn start(address: SocketAddr, socket: &Path) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let tcp = move || TcpStream::connect(address);
        let path = PathBuf::from(socket);
        let unix = move || UnixStream::connect(&path);
        let clients = vec![
            client(&is_over, "kept, TCP", true, tcp),
            client(&is_over, "new, TCP", false, tcp),
            client(&is_over, "kept, Unix", true, unix.clone()),
            client(&is_over, "new, Unix", false, unix),
        ];
        Self { is_over, clients }
    }

    /// How many requests each kind of client had answered, every one of them well.
    #[track_caller]
    pub fn stop(self) -> Vec<usize> {
        self.is_over.store(true, Ordering::Relaxed);
        let ended = self.clients.into_iter().map(|client| client.join().expect("it does not panic"));
        ended.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}"))
    }
}

fn client<S: Read + Write>(
    is_over: &Arc<AtomicBool>,
    kind: &'static str,
    keeps: bool,
    connect: impl Fn() -> io::Result<S> + Send + 'static,
) -> JoinHandle<Result<usize, String>> {
    let is_over = is_over.clone();
    std::thread::spawn(move || {
        let mut answered = 0;
        let mut kept: Option<Client<S>> = None;
        while !is_over.load(Ordering::Relaxed) {
            let failed = |what: &str| format!("{kind}: {what}, after {answered} answers");
            let mut client = match kept.take() {
                Some(client) => client,
                None => Client::of(connect().map_err(|error| failed(&format!("cannot connect: {error}")))?),
            };
            let answer = client.get("/").map_err(|error| failed(&format!("no answer: {error}")))?;
            if answer.status != 200 {
                return Err(failed(&format!("{answer:?}")));
            }
            answered += 1;
            if keeps && !answer.is_last {
                kept = Some(client);
            }
        }
        Ok(answered)
    })
}
