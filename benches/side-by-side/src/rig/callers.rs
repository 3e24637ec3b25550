//! The principal type is [`Callers`]: clients of HTTP/1.1 that cost as little as they can, in a process of their own.
//!
//! One thread with epoll sends each request when an answer has come, over connections that it keeps, or over a new one
//! for each request, which it closes after the answer, as PHP's curl does. It looks at the status and the length of
//! every answer. Nothing is under way between two [`Callers::call`]s, so what a proxy's clocks show by then belongs to
//! the requests between them.

mod connection;

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use self::connection::Connection;
use super::listen::Listen;
use crate::{Result, roles};

/// An answer may take so long; then the proxy has failed.
const PATIENCE: u16 = 30_000;

/// Whoever was called may do something when the last answer has come: close what the client has closed, for one.
pub(crate) const SETTLE: Duration = Duration::from_millis(30);

/// What to send.
#[derive(Debug, Clone, Default)]
pub(crate) struct Calls {
    pub(crate) path: &'static str,
    /// Bytes of the body that has to come; a 304 has none.
    pub(crate) length: u64,
    /// In place of the two: a file with `LENGTH PATH` of one request a line, which take turns.
    pub(crate) list: Option<PathBuf>,
    /// Further lines of each request's head, each with its end.
    pub(crate) fields: String,
    /// Bytes of the request's own body; a request without one is a GET.
    pub(crate) upload: u64,
    pub(crate) connections: usize,
    pub(crate) keep: bool,
}

/// How much of it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Amount {
    Time(Duration),
    Requests(u64),
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Called {
    pub(crate) requests: u64,
    /// Of bodies, in both directions.
    pub(crate) bytes: u64,
    pub(crate) wall: Duration,
}

/// The process.
pub(crate) struct Callers {
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    child: Child,
}

impl Callers {
    pub(crate) fn start(to: &Listen, calls: &Calls) -> Result<Self> {
        let mut command = Command::new("/proc/self/exe");
        command.args([
            roles::CALLERS,
            &to.to_string(),
            calls.path,
            &calls.length.to_string(),
            &calls.upload.to_string(),
        ]);
        command.args([calls.connections.to_string().as_str(), if calls.keep { "keep" } else { "new" }]);
        command.arg(&calls.fields).arg(calls.list.as_deref().unwrap_or(Path::new("")));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdout = BufReader::new(child.stdout.take().ok_or("the callers have no output")?);
        Ok(Self { stdin: child.stdin.take(), stdout, child })
    }

    /// Calls, `at_once` at a time, and returns when all is answered. Kept connections take turns.
    pub(crate) fn call(&mut self, amount: Amount, at_once: usize) -> Result<Called> {
        let words = match amount {
            Amount::Time(time) => format!("time {}", time.as_millis()),
            Amount::Requests(requests) => format!("requests {requests}"),
        };
        writeln!(self.stdin.as_mut().ok_or("the callers have gone")?, "{words} {at_once}")?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            // What went wrong it has told on standard error.
            [requests, bytes, ns] => Ok(Called { requests, bytes, wall: Duration::from_nanos(ns) }),
            _ => Err("the callers have failed".into()),
        }
    }
}

impl Drop for Callers {
    fn drop(&mut self) {
        self.stdin = None;
        // It has ended, or it is about to.
        let _ = self.child.wait();
    }
}

/// As that process.
pub(crate) fn be_the_callers(arguments: &[String]) -> Result<()> {
    let [target, path, length, upload, connections, keep, fields, list] = arguments else {
        return Err("TARGET PATH LENGTH UPLOAD CONNECTIONS keep|new FIELDS LIST".into());
    };
    let upload: u64 = upload.parse()?;
    let (method, of_body) =
        if upload > 0 { ("POST", format!("Content-Length: {upload}\r\n")) } else { ("GET", String::new()) };
    let list = if list.is_empty() { format!("{length} {path}") } else { fs::read_to_string(list)? };
    let request = |line: &str| {
        let (length, path) = line.split_once(' ').ok_or("LENGTH PATH")?;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: unladen-bench\r\nAccept: */*\r\n{fields}{of_body}\r\n"
        );
        Ok((head.into_bytes(), length.parse()?))
    };
    let requests = list.lines().map(request).collect::<Result<Vec<_>>>()?;
    let connections: usize = connections.parse()?;
    let mut calling = Calling {
        target: target.parse()?,
        requests,
        next: 0,
        expected: vec![0; connections],
        upload,
        keep: keep == "keep",
        epoll: Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?,
        slots: (0..connections).map(|_| None).collect(),
        idle: VecDeque::new(),
        buffer: vec![0; 256 * 1024],
        opened: 0,
        done: Done::default(),
    };
    calling.idle.extend(0..calling.slots.len());
    for line in std::io::stdin().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [unit, amount, at_once] = words[..] else { return Err("UNIT AMOUNT AT_ONCE".into()) };
        let amount: u64 = amount.parse()?;
        let (most, time) = match unit {
            "time" => (u64::MAX, Duration::from_millis(amount)),
            _ => (amount, Duration::MAX),
        };
        let begun = Instant::now();
        let done = calling.run(begun, most, time, at_once.parse()?)?;
        println!("{} {} {}", done.requests, done.bytes, begun.elapsed().as_nanos());
    }
    Ok(())
}

#[derive(Default, Clone, Copy)]
struct Done {
    requests: u64,
    bytes: u64,
}

struct Calling {
    target: Listen,
    /// With the length of the body that has to come; they take turns.
    requests: Vec<(Vec<u8>, u64)>,
    next: usize,
    /// Of each slot's answer.
    expected: Vec<u64>,
    upload: u64,
    keep: bool,
    epoll: Epoll,
    slots: Vec<Option<Connection>>,
    /// Slots without a request under way; who has been so for longest is next.
    idle: VecDeque<usize>,
    buffer: Vec<u8>,
    /// Connections.
    opened: u64,
    done: Done,
}

impl Calling {
    fn run(&mut self, begun: Instant, most: u64, time: Duration, at_once: usize) -> Result<Done> {
        self.done = Done::default();
        let (mut started, mut under_way) = (0, 0);
        let mut events = vec![EpollEvent::empty(); 256];
        loop {
            while under_way < at_once && started < most && begun.elapsed() < time {
                let Some(slot) = self.idle.pop_front() else { break };
                self.begin(slot)?;
                started += 1;
                under_way += 1;
            }
            if under_way == 0 {
                return Ok(self.done);
            }
            let ready = match self.epoll.wait(&mut events, EpollTimeout::from(PATIENCE)) {
                Err(Errno::EINTR) => continue,
                ready => ready?,
            };
            if ready == 0 {
                return Err(format!("{under_way} requests are not answered").into());
            }
            for event in &events[..ready] {
                let slot = usize::try_from(event.data())?;
                if event.events().contains(EpollFlags::EPOLLOUT) {
                    self.send_more(slot)?;
                }
                if event.events() != EpollFlags::EPOLLOUT && self.read(slot)? {
                    under_way -= 1;
                    self.idle.push_back(slot);
                }
            }
        }
    }

    fn begin(&mut self, slot: usize) -> Result<()> {
        if self.slots[slot].is_none() {
            let connection = Connection::open(&self.target, self.opened)?;
            self.opened += 1;
            self.epoll.add(&connection, EpollEvent::new(EpollFlags::EPOLLIN, slot as u64))?;
            self.slots[slot] = Some(connection);
        }
        let connection = self.slots[slot].as_mut().ok_or("a slot is empty")?;
        let (request, length) = self.requests.get(self.next).ok_or("there is nothing to ask for")?;
        self.next = (self.next + 1) % self.requests.len();
        self.expected[slot] = *length;
        if !connection.send(request, self.upload)? {
            let both = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT;
            self.epoll.modify(&*connection, &mut EpollEvent::new(both, slot as u64))?;
        }
        Ok(())
    }

    fn send_more(&mut self, slot: usize) -> Result<()> {
        let connection = self.slots[slot].as_mut().ok_or("an event of an empty slot")?;
        if connection.send_more()? {
            self.epoll.modify(&*connection, &mut EpollEvent::new(EpollFlags::EPOLLIN, slot as u64))?;
        }
        Ok(())
    }

    /// Whether the answer is whole.
    fn read(&mut self, slot: usize) -> Result<bool> {
        let connection = self.slots[slot].as_mut().ok_or("an event of an empty slot")?;
        let Some(bytes) = connection.read(&mut self.buffer)? else { return Ok(false) };
        let expected = self.expected[slot];
        if bytes != expected {
            return Err(format!("a body of {bytes} bytes, not {expected}").into());
        }
        self.done.requests += 1;
        self.done.bytes += bytes + self.upload;
        if !self.keep {
            // Closing it takes it out of the epoll as well.
            self.slots[slot] = None;
        }
        Ok(true)
    }
}
