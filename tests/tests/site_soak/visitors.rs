//! The principal type is [`Visitors`]: who read all sites without a pause, and check each answer.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use unladen_tests::wait;

use crate::account::{Account, percent};
use crate::town::{FILES, PAGES, PLAIN, SECURE, Town, file, page};

/// At a time.
const VISITORS: u64 = 6;
/// Requests on a connection, at most.
const ON_ONE: u64 = 12;
/// One in three reads so long before the next request: the connection is then one that waits.
const READS: Duration = Duration::from_millis(30);
/// Far above what any answer takes.
const LIMIT: Duration = Duration::from_secs(40);
/// Pages by which it is told that the share of hits is back.
const NEXT: usize = 100;
/// A line of the history is of so long.
const STEP: Duration = Duration::from_millis(250);

/// Who read all sites without a pause.
pub struct Visitors {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<Account>>,
}

#[derive(Default)]
struct Shared {
    is_over: AtomicBool,
    pages: AtomicU64,
    hits: AtomicU64,
    /// Of each page that is kept: when it was answered, and whether from memory.
    history: Mutex<Vec<(Instant, bool)>>,
}

/// A visitor's way to one host.
struct Way {
    host: &'static str,
    address: SocketAddr,
    client: Option<Arc<ClientConfig>>,
}

/// A connection.
type Stream = Box<dyn ReadWrite>;

trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}

/// Why there is no answer.
#[derive(Debug)]
enum No {
    /// The connection ended without a byte of it.
    Gone(String),
    /// There is a part of it.
    Torn(String),
}

/// An answer.
struct Answer {
    status: u16,
    /// In lower case.
    head: String,
    body: String,
}

impl Visitors {
    pub fn start(town: &Town) -> Self {
        let shared = Arc::new(Shared::default());
        let way = |host| {
            let (address, client) = town.way(host);
            Way { host, address, client }
        };
        let visitor = |number: u64| {
            let ways: Vec<Way> = SECURE.into_iter().chain([FILES, PLAIN]).map(way).collect();
            let shared = shared.clone();
            thread::spawn(move || shared.visit(&ways, number))
        };
        Self { threads: (0..VISITORS).map(visitor).collect(), shared }
    }

    /// Of the next so many pages that are kept, the share that comes from memory.
    pub fn share_of_hits(&self, next: u64) -> f64 {
        let of = |count: &AtomicU64| count.load(Ordering::SeqCst);
        let (pages, hits) = (of(&self.shared.pages), of(&self.shared.hits));
        wait::until("there are answers", || {
            of(&self.shared.pages) >= pages + next || self.threads.iter().any(JoinHandle::is_finished)
        });
        (of(&self.shared.hits) - hits) as f64 / (of(&self.shared.pages) - pages).max(1) as f64
    }

    /// How long after this until the share of hits is this again: of the pages that follow, whatever came before.
    pub fn back(&self, began: Instant, share: f64) -> Duration {
        wait::until_ok("the hits are back", || {
            let history = self.shared.history.lock().expect("no visitor panics");
            let since: Vec<_> = history.iter().filter(|(at, _)| *at >= began).copied().collect();
            drop(history);
            let back = since.windows(NEXT).find(|some| {
                some.first().is_some_and(|(_, is_hit)| *is_hit)
                    && some.iter().filter(|(_, is_hit)| *is_hit).count() as f64 >= share * NEXT as f64
            });
            back.and_then(|some| Some(some.first()?.0 - began)).ok_or_else(|| {
                format!("{} pages, of which {}", since.len(), since.iter().filter(|(_, is_hit)| *is_hit).count())
            })
        })
    }

    /// The share of hits over time, for so long after each of these.
    pub fn history(&self, starts: &[Instant], watch: Duration) -> String {
        let history = self.shared.history.lock().expect("no visitor panics");
        let steps = watch.as_millis() / STEP.as_millis();
        let step = |step: u128| {
            let after = STEP * u32::try_from(step).unwrap_or(0);
            let is_then = |when: &Instant| starts.iter().any(|at| (*at + after..*at + after + STEP).contains(when));
            let then = history.iter().filter(|(when, _)| is_then(when));
            let (pages, hits) = then.fold((0, 0), |(pages, hits), (_, is_hit)| (pages + 1, hits + u32::from(*is_hit)));
            let (seconds, share) = (after.as_secs_f64(), percent(f64::from(hits) / f64::from(pages.max(1))));
            format!("from {seconds:4.2} s after a start: {pages:5} pages, {share} hits\n")
        };
        (0..steps).map(step).collect()
    }

    /// Ends it: what became of all requests.
    pub fn stop(self) -> Account {
        self.shared.is_over.store(true, Ordering::SeqCst);
        let mut account = Account::default();
        self.threads.into_iter().for_each(|thread| account.add(thread.join().expect("it counts what it lost")));
        account
    }
}

impl Shared {
    fn visit(&self, ways: &[Way], visitor: u64) -> Account {
        let mut account = Account::default();
        let mut number = visitor * 37;
        let mut connections = visitor;
        // A request that a kept connection took along when it ended.
        let mut left: Option<(usize, u64)> = None;
        while !self.is_over.load(Ordering::SeqCst) || left.is_some() {
            let at = left.map_or_else(|| usize::try_from(connections).unwrap_or(0) % ways.len(), |(at, _)| at);
            connections += 1;
            let way = &ways[at];
            account.connections += 1;
            let mut stream = match way.open() {
                Ok(stream) => stream,
                Err(error) => {
                    // Whoever connects is heard, whenever that is.
                    account.sent += u64::from(left.take().is_none());
                    account.lost.push(format!("{}: no connection: {error}", way.host));
                    continue;
                }
            };
            account.handshakes += u64::from(way.client.is_some());
            for on_this in 0..ON_ONE {
                let request = left.take().map_or(number, |(_, number)| number);
                if request == number {
                    number += 7;
                    account.sent += 1;
                }
                // A form goes first on a connection: it cannot be sent again.
                let is_form = on_this == 0 && request.is_multiple_of(5) && way.host != FILES;
                if on_this > 0 && visitor % 3 == 2 {
                    thread::sleep(READS);
                }
                match self.ask(&mut stream, way, request, is_form, &mut account) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(No::Gone(_)) if on_this > 0 => {
                        account.again += 1;
                        left = Some((at, request));
                        break;
                    }
                    Err(No::Gone(why) | No::Torn(why)) => {
                        account.lost.push(format!("{} {request}, the {on_this}. of its connection: {why}", way.host));
                        break;
                    }
                }
            }
        }
        account
    }

    /// Whether the connection goes on.
    fn ask(
        &self,
        stream: &mut Stream,
        way: &Way,
        number: u64,
        is_form: bool,
        account: &mut Account,
    ) -> Result<bool, No> {
        let host = way.host;
        let which = number % PAGES;
        let is_own = number.is_multiple_of(11);
        let (path, expected) = match (host, is_form) {
            (FILES, _) => (format!("/files/{which}.txt"), file(which)),
            (_, true) => ("/page.php".to_owned(), format!("{host} form {number}")),
            (_, false) => {
                let path = page(which) + if is_own { "&own" } else { "" };
                (path, format!("{host} page {which}") + &" and so on".repeat(100))
            }
        };
        let body = if is_form { number.to_string() } else { String::new() };
        let method = if is_form { "POST" } else { "GET" };
        let answer = exchange(stream, method, host, &path, &body)?;
        if answer.status != 200 || answer.body != expected {
            return Err(No::Torn(format!("{method} {path}: {}: {}\n{}", answer.status, answer.head, answer.body)));
        }
        account.answered += 1;
        if host == FILES {
            account.files += 1;
        } else if is_form {
            account.forms += 1;
        } else if !is_own {
            let is_hit = answer.head.contains("cache-status: unladen; hit");
            account.pages += 1;
            account.hits += u64::from(is_hit);
            self.history.lock().expect("no visitor panics").push((Instant::now(), is_hit));
            self.hits.fetch_add(u64::from(is_hit), Ordering::SeqCst);
            self.pages.fetch_add(1, Ordering::SeqCst);
        }
        Ok(!answer.head.contains("connection: close"))
    }
}

impl Way {
    fn open(&self) -> Result<Stream, String> {
        let socket = TcpStream::connect(self.address).map_err(|error| error.to_string())?;
        socket.set_read_timeout(Some(LIMIT)).map_err(|error| error.to_string())?;
        let _ = socket.set_nodelay(true);
        let Some(client) = &self.client else { return Ok(Box::new(socket)) };
        let host = ServerName::try_from(self.host.to_owned()).expect("a name");
        let connection = ClientConnection::new(client.clone(), host).map_err(|error| error.to_string())?;
        let mut stream = StreamOwned::new(connection, socket);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock).map_err(|error| format!("in the handshake: {error}"))?;
        }
        Ok(Box::new(stream))
    }
}

/// A GET on a connection of its own, which has to be answered with 200.
pub fn ask_once(
    address: SocketAddr,
    client: Option<&Arc<ClientConfig>>,
    host: &'static str,
    path: &str,
) -> Result<(), String> {
    let mut stream = Way { host, address, client: client.cloned() }.open()?;
    let answer = exchange(&mut stream, "GET", host, path, "").map_err(|no| format!("{no:?}"))?;
    if answer.status == 200 { Ok(()) } else { Err(format!("{}: {}", answer.status, answer.head)) }
}

fn exchange(stream: &mut Stream, method: &str, host: &str, path: &str, body: &str) -> Result<Answer, No> {
    let length = if method == "POST" { format!("Content-Length: {}\r\n", body.len()) } else { String::new() };
    let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{length}\r\n{body}");
    stream.write_all(request.as_bytes()).and_then(|()| stream.flush()).map_err(|error| No::Gone(error.to_string()))?;
    let (mut bytes, mut piece) = (Vec::new(), [0; 8192]);
    loop {
        let no = |error: String, bytes: &[u8]| {
            let text = format!("{path}: {error}: {}", String::from_utf8_lossy(bytes));
            if bytes.is_empty() { No::Gone(text) } else { No::Torn(text) }
        };
        match stream.read(&mut piece) {
            Ok(0) => return Err(no("the end".to_owned(), &bytes)),
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) => return Err(no(error.to_string(), &bytes)),
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        let Some(length) = length else { return Err(No::Torn(format!("{path}: no length: {text}"))) };
        if body.len() >= length {
            let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
            return Ok(Answer { status, head, body: body.to_owned() });
        }
    }
}
