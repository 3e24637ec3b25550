//! The principal type is [`Server`]: what no well-behaved server would do, and what it was sent.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::wait;

/// A server on a free port of this machine, for as long as the test runs.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    accepted: Arc<AtomicUsize>,
}

/// What a server's answer can go by.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The request's number, counted from 0.
    pub number: usize,
    /// Its number on its connection, counted from 0.
    pub on_connection: usize,
    /// The request.
    pub request: &'a Received,
}

/// What a server does about a request.
#[derive(Debug)]
pub enum Reply {
    /// Answers with these bytes.
    Answer(String),
    /// Answers with these bytes, and closes the connection.
    Last(String),
    /// Closes the connection without an answer.
    Close,
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    /// The first line.
    pub line: String,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Server {
    /// Answers each connection with these bytes, whatever it asks, and closes it.
    pub fn saying(bytes: &'static [u8]) -> Self {
        Self::start(move |mut stream, _| {
            let mut asked = [0; 1024];
            let _ = stream.read(&mut asked);
            let _ = stream.write_all(bytes);
        })
    }

    /// Answers HTTP/1.1 requests by what `answer` makes of their number, counted from 0.
    pub fn answering(answer: impl Fn(usize) -> String + Send + Sync + 'static) -> Self {
        Self::replying(move |asked| Reply::Answer(answer(asked.number)))
    }

    /// Answers HTTP/1.1 requests as `reply` says. Each connection has a thread, which `reply` may let sleep.
    pub fn replying(reply: impl Fn(&Asked<'_>) -> Reply + Send + Sync + 'static) -> Self {
        Self::start(move |stream, received| {
            let Ok(mut out) = stream.try_clone() else { return };
            let mut stream = BufReader::new(stream);
            let mut on_connection = 0;
            while let Some(request) = read_request(&mut stream) {
                let number = {
                    let mut received = received.lock().unwrap();
                    received.push(request.clone());
                    received.len() - 1
                };
                let (bytes, is_last) = match reply(&Asked { number, on_connection, request: &request }) {
                    Reply::Answer(bytes) => (bytes, false),
                    Reply::Last(bytes) => (bytes, true),
                    Reply::Close => return,
                };
                if out.write_all(bytes.as_bytes()).is_err() || is_last {
                    return;
                }
                on_connection += 1;
            }
        })
    }

    /// Answers every request with 200 and a few bytes.
    pub fn good() -> Self {
        Self::answering(|_| "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n".to_owned())
    }

    /// Reads each request and never answers.
    pub fn hanging() -> Self {
        Self::start(|stream, received| {
            let mut stream = BufReader::new(stream);
            while let Some(request) = read_request(&mut stream) {
                received.lock().unwrap().push(request);
            }
        })
    }

    /// Answers so many requests, and reads the others without an answer.
    pub fn hanging_after(answered: usize) -> Self {
        Self::replying(move |asked| {
            if asked.number >= answered {
                // Its thread ends with the test's process.
                std::thread::sleep(Duration::from_secs(3600));
            }
            Reply::good()
        })
    }

    fn start(serve: impl Fn(TcpStream, &Mutex<Vec<Received>>) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("its address");
        let received = Arc::new(Mutex::new(Vec::new()));
        let accepted = Arc::new(AtomicUsize::new(0));
        let (serve, kept, counter) = (Arc::new(serve), Arc::clone(&received), Arc::clone(&accepted));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counter.fetch_add(1, Ordering::Relaxed);
                // Head and body of an answer must not wait for each other's acknowledgement.
                let _ = stream.set_nodelay(true);
                let (serve, kept) = (Arc::clone(&serve), Arc::clone(&kept));
                std::thread::spawn(move || serve(stream, &kept));
            }
        });
        Self { address, received, accepted }
    }

    /// A URL of it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What has come until now.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Connections that it has taken until now.
    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::Relaxed)
    }

    /// How many of the requests until now were for this path.
    pub fn asked_for(&self, path: &str) -> usize {
        let received = self.received.lock().unwrap();
        received.iter().filter(|request| request.line.split(' ').nth(1) == Some(path)).count()
    }

    /// Waits until the first request has come.
    pub fn wait_for_request(&self) {
        self.wait_for_requests(1);
    }

    /// Waits until so many have come.
    #[track_caller]
    pub fn wait_for_requests(&self, least: usize) {
        wait::until(&format!("{least} requests have come"), || self.received.lock().unwrap().len() >= least);
    }
}

impl Reply {
    /// 200 and a few bytes.
    pub fn good() -> Self {
        Self::text("200 OK", "ok\n")
    }

    /// This status and this body.
    pub fn text(status: &str, body: &str) -> Self {
        Self::Answer(format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len()))
    }

    /// The same, and closes the connection.
    #[must_use]
    pub fn and_close(self) -> Self {
        match self {
            Self::Answer(bytes) => Self::Last(bytes),
            other => other,
        }
    }
}

impl Received {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Whether it is one of the few by which `weigh` finds out who passes a request on.
    pub fn has_mark(&self) -> bool {
        self.headers.iter().any(|(name, _)| name.starts_with("x-request-mark-"))
    }
}

/// Just enough of HTTP/1.1 for what a client under test sends.
fn read_request(stream: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut head = stream.lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let line = head.next()?;
    let headers: Vec<(String, String)> = head
        .filter_map(|line| Some((line.split_once(':')?.0.to_lowercase(), line.split_once(':')?.1.trim().to_owned())))
        .collect();
    let mut request = Received { line, headers, body: Vec::new() };
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    request.body.resize(length, 0);
    stream.read_exact(&mut request.body).ok()?;
    Some(request)
}
