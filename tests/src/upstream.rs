//! The principal type is [`Upstream`]: what stands behind `unladen serve`, and does what a test's script says, byte by
//! byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::{fastcgi, wait};

/// Far above what any wait of the tests takes.
const LIMIT: Duration = Duration::from_secs(40);

/// A server on a free port of this machine, for as long as the test runs.
#[derive(Debug)]
pub struct Upstream {
    address: SocketAddr,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    accepted: AtomicUsize,
    open: AtomicUsize,
    seen: Mutex<Vec<Seen>>,
}

/// A connection, as its script sees it. It is closed when the script is over.
#[derive(Debug)]
pub struct Peer {
    /// Its number among those of the server, counted from 0.
    pub number: usize,
    stream: BufReader<TcpStream>,
    counts: Arc<Counts>,
    /// Which of those seen is the latest of this connection, if they are kept.
    last: Option<usize>,
    /// Whether the request came by FastCGI, to which there is one answer.
    is_program: bool,
}

/// A request as it came. One of FastCGI has its fields as a program has them: with hyphens again; and its other parameters
/// under names with underscores, but those for what else is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// GET …
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case.
    pub fields: Vec<(String, String)>,
    /// The body, without its framing, if it was read.
    pub body: Vec<u8>,
    /// After a chunked body.
    pub trailers: Vec<(String, String)>,
}

impl Upstream {
    /// Each connection has a thread, on which the script is called once.
    pub fn start(script: impl Fn(&mut Peer) + Send + Sync + 'static) -> Self {
        Self::new(true, script)
    }

    /// The same, but that it does not keep what it has seen: for very many requests.
    pub fn forgetful(script: impl Fn(&mut Peer) + Send + Sync + 'static) -> Self {
        Self::new(false, script)
    }

    fn new(keeps: bool, script: impl Fn(&mut Peer) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("its address");
        let counts = Arc::new(Counts::default());
        let (kept, script) = (Arc::clone(&counts), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = stream.set_nodelay(true);
                let _ = stream.set_read_timeout(Some(LIMIT));
                let number = kept.accepted.fetch_add(1, Ordering::SeqCst);
                kept.open.fetch_add(1, Ordering::SeqCst);
                let (counts, script) = (Arc::clone(&kept), Arc::clone(&script));
                std::thread::spawn(move || {
                    let mut peer = Peer {
                        number,
                        stream: BufReader::new(stream),
                        counts,
                        last: keeps.then_some(0),
                        is_program: false,
                    };
                    script(&mut peer);
                });
            }
        });
        Self { address, counts }
    }

    /// Answers each request of each connection with these bytes.
    pub fn saying(bytes: &'static str) -> Self {
        Self::start(move |peer| while peer.request().is_some() && peer.send(bytes) {})
    }

    /// Answers each request with its target.
    pub fn echoing() -> Self {
        Self::start(|peer| {
            while let Some(request) = peer.request() {
                if !peer.answer(&request.target) {
                    return;
                }
            }
        })
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// As it is configured.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Connections that it has taken until now.
    pub fn accepted(&self) -> usize {
        self.counts.accepted.load(Ordering::SeqCst)
    }

    /// Connections whose script is not over.
    pub fn open(&self) -> usize {
        self.counts.open.load(Ordering::SeqCst)
    }

    /// The requests that have come until now.
    pub fn seen(&self) -> Vec<Seen> {
        self.counts.seen.lock().unwrap().clone()
    }

    /// Waits until this is so.
    #[track_caller]
    pub fn wait(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        wait::until_ok(what, || {
            if is_so(self) { Ok(()) } else { Err(format!("open: {}, seen: {:?}", self.open(), self.seen())) }
        });
    }
}

// === impl Peer ===

impl Peer {
    /// The next request, with its body. None: the connection has ended.
    pub fn request(&mut self) -> Option<Seen> {
        // The version of a record, which no method begins with.
        self.is_program = self.stream.fill_buf().ok()?.first() == Some(&1);
        if self.is_program {
            let request = Seen::of(fastcgi::Params::read(&mut self.stream)?);
            self.note(&request);
            return Some(request);
        }
        let mut request = self.head()?;
        self.body(&mut request)?;
        if let Some(last) = self.last {
            self.counts.seen.lock().unwrap()[last].clone_from(&request);
        }
        Some(request)
    }

    /// The head of the next request.
    pub fn head(&mut self) -> Option<Seen> {
        let line = self.line()?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let fields = self.fields()?;
        let request = Seen { method, target, fields, body: Vec::new(), trailers: Vec::new() };
        self.note(&request);
        Some(request)
    }

    fn note(&mut self, request: &Seen) {
        if let Some(last) = &mut self.last {
            let mut seen = self.counts.seen.lock().unwrap();
            *last = seen.len();
            seen.push(request.clone());
        }
    }

    /// The body of a request whose head was read.
    pub fn body(&mut self, request: &mut Seen) -> Option<()> {
        if request.field("transfer-encoding") == Some("chunked") {
            loop {
                let line = self.line()?;
                let size = usize::from_str_radix(&line, 16).unwrap_or_else(|_| panic!("no chunk: {line:?}"));
                if size == 0 {
                    break;
                }
                self.exact(size, &mut request.body)?;
                assert_eq!(self.line()?, "", "a chunk's end");
            }
            request.trailers = self.fields()?;
        } else if let Some(length) = request.field("content-length") {
            let length = length.parse().expect("a length");
            self.exact(length, &mut request.body)?;
        }
        Some(())
    }

    fn exact(&mut self, count: usize, into: &mut Vec<u8>) -> Option<()> {
        let read = (&mut self.stream).take(count as u64).read_to_end(into).ok()?;
        (read == count).then_some(())
    }

    fn fields(&mut self) -> Option<Vec<(String, String)>> {
        let mut fields = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Some(fields);
            }
            let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("no field: {line:?}"));
            fields.push((name.to_lowercase(), value.to_owned()));
        }
    }

    fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line).ok()?;
        let line = line.strip_suffix(b"\r\n")?;
        Some(String::from_utf8_lossy(line).into_owned())
    }

    /// Sends bytes: whether they were taken.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.get_mut().write_all(bytes.as_ref()).is_ok()
    }

    /// Sends a whole answer of HTTP, or the same as a program has it: whether there may be another request.
    pub fn send_answer(&mut self, answer: &str) -> bool {
        if !self.is_program {
            return self.send(answer);
        }
        let answer = answer.replacen("HTTP/1.1 ", "Status: ", 1);
        self.send(fastcgi::answer(answer.as_bytes()));
        false
    }

    /// Answers 200 with this body.
    pub fn answer(&mut self, body: &str) -> bool {
        self.send(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()))
    }

    /// Reads some bytes as they come: none at the connection's end.
    pub fn read(&mut self) -> Vec<u8> {
        let bytes = self.stream.fill_buf().map(<[u8]>::to_vec).unwrap_or_default();
        self.stream.consume(bytes.len());
        bytes
    }

    /// Reads to the connection's end, and drops what comes.
    pub fn wait_for_end(&mut self) {
        while !self.read().is_empty() {}
    }

    /// Waits for something to come: whether it did so within this time, be it the connection's end.
    pub fn waits(&mut self, time: Duration) -> bool {
        let _ = self.stream.get_ref().set_read_timeout(Some(time));
        let came = self.stream.fill_buf().map(|_| ()).map_err(|error| error.kind());
        let _ = self.stream.get_ref().set_read_timeout(Some(LIMIT));
        came != Err(std::io::ErrorKind::WouldBlock)
    }

    /// Whether the latest request came by FastCGI.
    pub fn is_program(&self) -> bool {
        self.is_program
    }

    /// Whether what is sent is held back: when the script is over, it comes in one piece with the connection's end,
    /// whenever this thread runs. The kernel holds nothing back for longer than 200 ms.
    pub fn hold(&self, holds: bool) {
        rustix::net::sockopt::set_tcp_cork(self.stream.get_ref(), holds).expect("an option of TCP");
    }

    /// Says that nothing more is sent.
    pub fn shut(&self) {
        let _ = self.stream.get_ref().shutdown(Shutdown::Write);
    }

    /// Has the connection reset when the script is over, in place of an orderly end.
    pub fn reset(&self) {
        let linger = nix::libc::linger { l_onoff: 1, l_linger: 0 };
        nix::sys::socket::setsockopt(self.stream.get_ref(), nix::sys::socket::sockopt::Linger, &linger)
            .expect("an option of a socket");
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.counts.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Seen {
    fn of(params: fastcgi::Params) -> Self {
        let (mut method, mut target, mut fields) = (String::new(), String::new(), Vec::new());
        for (name, value) in params.all {
            match &*name {
                "REQUEST_METHOD" => method = value,
                "REQUEST_URI" => target = value,
                name => fields.push(match name.strip_prefix("HTTP_") {
                    Some(field) => (field.to_lowercase().replace('_', "-"), value),
                    None => (name.to_lowercase(), value),
                }),
            }
        }
        Self { method, target, fields, body: params.body, trailers: Vec::new() }
    }

    /// The value of a field, which must not be there twice.
    #[track_caller]
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.fields.iter().filter(|(own, _)| own == name).map(|(_, value)| value.as_str());
        let value = values.next();
        assert_eq!(values.next(), None, "{name} is there twice: {self:?}");
        value
    }
}
