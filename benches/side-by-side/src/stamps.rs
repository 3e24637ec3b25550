//! The principal type is [`Server`]: a server of HTTP/1.1 that notes when each request arrived and when it was
//! answered. [`Record`] is what it noted, and [`Pauses`] says when it answers nothing.
//!
//! It is a process of its own, with one thread, that does as little as it can: epoll, a read, a look at the clock, a
//! write. It ends when its standard input does (also when the bench is killed), and then prints what it noted.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, BufWriter, ErrorKind, PipeWriter, Read as _, Write as _, pipe};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::time::{ClockId, clock_gettime};

use crate::{Result, roles};

/// As much as nginx answers in the other benches.
const BODY: usize = 476;

/// One request that was answered; `CLOCK_MONOTONIC` in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Right after the read that completed it.
    pub(crate) arrived: u64,
    /// Right after the write of the answer.
    pub(crate) answered: u64,
}

/// Requests in the order in which they arrived.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record(pub(crate) Vec<Stamp>);

impl Record {
    /// Lines of two numbers, in any order.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let stamp = |line: &str| {
            let (arrived, answered) = line.split_once(' ').ok_or("a line of the server has no two numbers")?;
            Result::Ok(Stamp { arrived: arrived.parse()?, answered: answered.parse()? })
        };
        let mut stamps = text.lines().map(stamp).collect::<Result<Vec<_>>>()?;
        stamps.sort_unstable_by_key(|stamp| stamp.arrived);
        Ok(Self(stamps))
    }

    pub(crate) fn arrivals(&self) -> Vec<u64> {
        self.0.iter().map(|stamp| stamp.arrived).collect()
    }
}

/// From `after` on, for `length`, again and again `every` so often; since the first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pauses {
    pub(crate) after: Duration,
    pub(crate) length: Duration,
    pub(crate) every: Duration,
}

impl Pauses {
    /// When the pause that is on at this time ends.
    pub(crate) fn end(&self, at: Duration) -> Option<Duration> {
        let into = u64::try_from(at.as_nanos()).ok()? % u64::try_from(self.every.as_nanos()).ok()?;
        let into = Duration::from_nanos(into);
        (self.after..self.after + self.length).contains(&into).then(|| at + (self.after + self.length - into))
    }

    /// What who comes at a constant rate for this time waits for the pauses, the shortest wait first.
    pub(crate) fn waits(&self, rate: u64, time: Duration) -> Vec<Duration> {
        let requests = u64::try_from(time.as_nanos() * u128::from(rate) / 1_000_000_000).unwrap_or(u64::MAX);
        let planned = (0..requests).map(|k| Duration::from_nanos(k * 1_000_000_000 / rate));
        let mut waits: Vec<_> = planned.map(|at| self.end(at).map_or(Duration::ZERO, |end| end - at)).collect();
        waits.sort_unstable();
        waits
    }

    /// As the words of a command line, in ms.
    pub(crate) fn words(&self) -> [String; 3] {
        [self.after, self.length, self.every].map(|time| time.as_millis().to_string())
    }

    pub(crate) fn from_words(words: &[String]) -> Result<Option<Self>> {
        let [after, length, every] = words else { return Ok(None) };
        let ms = |word: &String| word.parse().map(Duration::from_millis);
        Ok(Some(Self { after: ms(after)?, length: ms(length)?, every: ms(every)? }))
    }
}

/// The clock that server and bench share: `CLOCK_MONOTONIC` in ns.
pub(crate) fn now() -> Result<u64> {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC)?;
    Ok(u64::try_from(now.tv_sec())? * 1_000_000_000 + u64::try_from(now.tv_nsec())?)
}

/// A running one.
pub(crate) struct Server {
    pub(crate) url: String,
    lifeline: Option<PipeWriter>,
    stdout: BufReader<ChildStdout>,
    child: Child,
}

impl Server {
    pub(crate) fn start(pauses: Option<Pauses>) -> Result<Self> {
        Self::start_at(Ipv4Addr::LOCALHOST, pauses)
    }

    /// At an address of this machine.
    pub(crate) fn start_at(address: Ipv4Addr, pauses: Option<Pauses>) -> Result<Self> {
        let (reader, writer) = pipe()?;
        let mut command = Command::new("/proc/self/exe");
        command.arg(roles::SERVER).arg(address.to_string()).args(pauses.iter().flat_map(Pauses::words));
        let mut child = command.stdin(reader).stdout(Stdio::piped()).spawn()?;
        let mut stdout = BufReader::new(child.stdout.take().ok_or("the server has no output")?);
        let mut url = String::new();
        stdout.read_line(&mut url)?;
        Ok(Self { url: url.trim().to_owned(), lifeline: Some(writer), stdout, child })
    }

    /// Ends it; what it noted.
    pub(crate) fn stop(mut self) -> Result<Record> {
        self.lifeline = None;
        let mut text = String::new();
        self.stdout.read_to_string(&mut text)?;
        Record::parse(&text)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.lifeline = None;
        // It has ended, or it is about to; if nobody reads what it says, by that.
        let _ = self.stdout.read_to_end(&mut Vec::new());
        let _ = self.child.wait();
    }
}

const LIFELINE: u64 = 0;
const LISTENER: u64 = 1;
/// Connections are numbered from here on, and no number comes twice.
const CONNECTIONS: u64 = 2;

/// As the server, at an address; with the words of pauses, if it is to make any.
pub(crate) fn serve(arguments: &[String]) -> Result<()> {
    let (address, arguments) = arguments.split_first().ok_or("the server takes an address")?;
    let listener = TcpListener::bind((address.parse::<Ipv4Addr>()?, 0))?;
    listener.set_nonblocking(true)?;
    println!("http://{}/", listener.local_addr()?);
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
    let stdin = std::io::stdin();
    epoll.add(&stdin, EpollEvent::new(EpollFlags::EPOLLIN, LIFELINE))?;
    epoll.add(&listener, EpollEvent::new(EpollFlags::EPOLLIN, LISTENER))?;
    let mut server = Serving { pauses: Pauses::from_words(arguments)?, ..Serving::new() };
    let mut events = [EpollEvent::empty(); 64];
    'serving: loop {
        let ready = match epoll.wait(&mut events, server.timeout()?) {
            Err(Errno::EINTR) => continue,
            ready => ready?,
        };
        for event in &events[..ready] {
            match event.data() {
                LIFELINE => break 'serving,
                LISTENER => server.accept(&listener, &epoll)?,
                connection => server.read(connection)?,
            }
        }
        server.answer_held()?;
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    for stamp in &server.stamps {
        writeln!(out, "{} {}", stamp.arrived, stamp.answered)?;
    }
    Ok(out.flush()?)
}

struct Serving {
    pauses: Option<Pauses>,
    connections: HashMap<u64, Connection>,
    next: u64,
    answer: Vec<u8>,
    /// Which connections wait for the end of a pause, and since when.
    held: Vec<(u64, u64)>,
    stamps: Vec<Stamp>,
    /// When the first request arrived.
    first: Option<u64>,
}

struct Connection {
    stream: TcpStream,
    /// The beginning of a request that has not arrived whole.
    begun: Vec<u8>,
}

impl Serving {
    fn new() -> Self {
        let mut answer =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {BODY}\r\n\r\n").into_bytes();
        answer.resize(answer.len() + BODY, b'.');
        Self {
            pauses: None,
            connections: HashMap::new(),
            next: CONNECTIONS,
            answer,
            held: Vec::new(),
            // Room for the longest run, so that none is made while requests wait.
            stamps: Vec::with_capacity(1 << 21),
            first: None,
        }
    }

    /// How long the pause lasts that is on at this time.
    fn pause(&self, now: u64) -> Option<Duration> {
        let at = Duration::from_nanos(now - self.first?);
        Some(self.pauses?.end(at)? - at)
    }

    fn timeout(&self) -> Result<EpollTimeout> {
        if self.held.is_empty() {
            return Ok(EpollTimeout::NONE);
        }
        let left = self.pause(now()?).unwrap_or_default();
        Ok(EpollTimeout::try_from(left.as_micros().div_ceil(1_000))?)
    }

    fn accept(&mut self, listener: &TcpListener, epoll: &Epoll) -> Result<()> {
        loop {
            let stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
            epoll.add(&stream, EpollEvent::new(EpollFlags::EPOLLIN, self.next))?;
            self.connections.insert(self.next, Connection { stream, begun: Vec::new() });
            self.next += 1;
        }
    }

    fn read(&mut self, number: u64) -> Result<()> {
        let Some(connection) = self.connections.get_mut(&number) else { return Ok(()) };
        let mut buffer = [0; 4096];
        let length = match connection.stream.read(&mut buffer) {
            // What resets its connection has ended, too.
            Ok(0) | Err(_) => {
                // Closing it takes it out of the epoll as well.
                self.connections.remove(&number);
                return Ok(());
            }
            Ok(length) => length,
        };
        let arrived = now()?;
        let piece = &buffer[..length];
        // No peer sends a body, nor a request before the one before is answered.
        if !connection.begun.is_empty() || !piece.ends_with(b"\r\n\r\n") {
            connection.begun.extend_from_slice(piece);
            if !connection.begun.ends_with(b"\r\n\r\n") {
                return Ok(());
            }
            connection.begun.clear();
        }
        self.first.get_or_insert(arrived);
        if self.pauses.is_some() && self.pause(arrived).is_some() {
            self.held.push((number, arrived));
            return Ok(());
        }
        self.answer(number, arrived)
    }

    fn answer_held(&mut self) -> Result<()> {
        if self.held.is_empty() || self.pause(now()?).is_some() {
            return Ok(());
        }
        for (number, arrived) in std::mem::take(&mut self.held) {
            self.answer(number, arrived)?;
        }
        Ok(())
    }

    fn answer(&mut self, number: u64, arrived: u64) -> Result<()> {
        let Some(connection) = self.connections.get_mut(&number) else { return Ok(()) };
        // A client that has gone is not answered; one that takes nothing in would be a fault of the bench.
        if connection.stream.write_all(&self.answer).is_err() {
            self.connections.remove(&number);
            return Ok(());
        }
        self.stamps.push(Stamp { arrived, answered: now()? });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const PAUSES: Pauses = Pauses { after: Duration::from_secs(4), length: SECOND, every: Duration::from_secs(10) };

    #[test]
    fn a_pause_comes_back() {
        assert_eq!(PAUSES.end(SECOND * 3), None);
        assert_eq!(PAUSES.end(SECOND * 4), Some(SECOND * 5));
        assert_eq!(PAUSES.end(SECOND * 29 / 2), Some(SECOND * 15));
        assert_eq!(PAUSES.end(SECOND * 15), None);
    }

    #[test]
    fn one_in_ten_waits_for_up_to_the_pause() {
        let waits = PAUSES.waits(200, SECOND * 30);
        assert_eq!(waits.len(), 6_000);
        assert_eq!(waits.iter().filter(|wait| **wait > Duration::ZERO).count(), 600);
        assert_eq!((waits[5_399], waits[5_999]), (Duration::ZERO, SECOND));
        assert!((waits[5_700].as_secs_f64() - 0.5).abs() < 0.01);
    }

    #[test]
    fn pauses_survive_a_command_line() {
        assert_eq!(Pauses::from_words(&PAUSES.words()).unwrap(), Some(PAUSES));
        assert_eq!(Pauses::from_words(&[]).unwrap(), None);
    }

    #[test]
    fn a_record_is_in_the_order_of_arrival() {
        let record = Record::parse("20 25\n10 30\n").unwrap();
        assert_eq!(record.arrivals(), [10, 20]);
        assert_eq!(record.0[0].answered, 30);
        assert!(Record::parse("20").is_err());
    }
}
