//! The principal type is [`Load`]: readers who go on while a server is restarted beneath them.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

/// Readers who ask for one page after the other, on new connections and kept ones, and check what they get.
///
/// Who cannot connect, or whose connection ends without a byte of an answer, asks again, as browsers do; a part of an
/// answer, or a wrong one, is lost.
pub struct Load {
    shared: Arc<Shared>,
    readers: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    is_over: AtomicBool,
    answers: AtomicU64,
    hits: AtomicU64,
    /// Connections that nobody took, or that ended between two requests.
    again: AtomicU64,
}

/// Pages.
pub const PAGES: u64 = 200;

/// The page of a number: one in ten is not kept.
pub fn path(number: u64) -> String {
    let number = number % PAGES;
    if number.is_multiple_of(10) { format!("/own/{number}") } else { format!("/page/{number}") }
}

impl Load {
    /// By so many readers, of pages whose body is their path.
    pub fn start(address: SocketAddr, readers: u64) -> Self {
        let shared = Arc::new(Shared::default());
        let reader = |number: u64| {
            let shared = shared.clone();
            thread::spawn(move || shared.read(address, number))
        };
        Self { readers: (0..readers).map(reader).collect(), shared }
    }

    /// Answers so far, and those of them from memory.
    pub fn counts(&self) -> (u64, u64) {
        (self.shared.answers.load(Ordering::SeqCst), self.shared.hits.load(Ordering::SeqCst))
    }

    /// The share of hits among the next so many answers.
    pub fn share(&self, next: u64) -> f64 {
        let (before, hits) = self.counts();
        unladen_tests::wait::until("there are answers", || {
            self.counts().0 >= before + next || self.readers.iter().any(JoinHandle::is_finished)
        });
        let (after, more) = self.counts();
        assert!(after >= before + next, "a reader has ended: see above");
        (more - hits) as f64 / (after - before) as f64
    }

    /// Connections that had to be made again.
    pub fn again(&self) -> u64 {
        self.shared.again.load(Ordering::SeqCst)
    }

    /// Ends it: what was lost is told by a panic.
    pub fn stop(self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        self.readers.into_iter().for_each(|reader| reader.join().expect("nothing was lost"));
    }
}

impl Shared {
    fn read(&self, address: SocketAddr, reader: u64) {
        let mut number = reader * 37;
        while !self.is_over.load(Ordering::SeqCst) {
            let Ok(mut stream) = TcpStream::connect(address) else {
                self.again.fetch_add(1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(2));
                continue;
            };
            let _ = stream.set_read_timeout(Some(Duration::from_secs(40)));
            for _ in 0..20 {
                let path = path(number);
                let Some(head) = ask(&mut stream, &path) else {
                    self.again.fetch_add(1, Ordering::SeqCst);
                    break;
                };
                number += 7;
                self.answers.fetch_add(1, Ordering::SeqCst);
                if head.contains("cache-status: unladen; hit") {
                    self.hits.fetch_add(1, Ordering::SeqCst);
                }
                if head.contains("connection: close") {
                    break;
                }
            }
        }
    }
}

/// The head, in lower case, of a whole answer; none: there was not a byte of it.
fn ask(stream: &mut TcpStream, path: &str) -> Option<String> {
    let is_end = |kind| matches!(kind, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe);
    if let Err(error) = stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n").as_bytes()) {
        assert!(is_end(error.kind()), "{path}: {error}");
        return None;
    }
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut piece) {
            Ok(0) if bytes.is_empty() => return None,
            Ok(0) => panic!("{path}: a part of an answer: {}", String::from_utf8_lossy(&bytes)),
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) if bytes.is_empty() && is_end(error.kind()) => return None,
            Err(error) => panic!("{path}: {error}: {}", String::from_utf8_lossy(&bytes)),
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200 "), "{path}: {text}");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        let length = length.unwrap_or_else(|| panic!("{path}: no length: {text}"));
        if body.len() >= length {
            assert_eq!(body, path, "{text}");
            return Some(head);
        }
    }
}
