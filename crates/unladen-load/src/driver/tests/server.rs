//! Servers that do as a test tells them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

pub(super) const HELLO: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

/// A TCP server with a thread for each connection; they end with the test's process.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Calls the function for each connection, counted from 0.
    pub(super) fn new(serve: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let (accepted, serve) = (connections.clone(), Arc::new(serve));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (number, serve) = (accepted.fetch_add(1, Relaxed), serve.clone());
                thread::spawn(move || serve(number, stream));
            }
        });
        Self { address, connections }
    }

    /// Answers each request of each connection with this text.
    pub(super) fn answering(answer: impl Into<String>) -> Self {
        let answer = answer.into();
        Self::new(move |_, mut stream| {
            while read_request(&mut stream).is_some() {
                send(&mut stream, &answer);
            }
        })
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.load(Relaxed)
    }
}

/// Reads one request with its body; none when the client has closed.
pub(super) fn read_request(stream: &mut impl Read) -> Option<String> {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        request.push(byte[0]);
    }
    let mut request = String::from_utf8(request).unwrap();
    let length = request.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    request.push_str(&String::from_utf8(body).unwrap());
    Some(request)
}

/// Sends what it can: the client may have left.
pub(super) fn send(stream: &mut impl Write, text: &str) {
    let _ = stream.write_all(text.as_bytes());
}

/// Holds the connection open until the client closes it.
pub(super) fn hang(stream: &mut impl Read) {
    while stream.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {}
}
