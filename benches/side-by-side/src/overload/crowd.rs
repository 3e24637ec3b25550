//! The principal type is [`Crowd`]: clients that ask at a constant rate, whether they are answered or not.

use std::collections::HashMap;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::os::fd::{AsRawFd as _, RawFd};
use std::time::{Duration, Instant};

use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use crate::Result;

/// How long one waits for an answer; then it closes its connection.
const PATIENCE: Duration = Duration::from_secs(15);
/// So many addresses ask, in turn, as a proxy in front would tell.
const CLIENTS: u64 = 200;
/// More under way is the bench's own trouble.
const MOST: usize = 20_000;

/// What came of all requests.
#[derive(Debug, Default, Clone)]
pub(super) struct Outcome {
    /// Of pages, from when each was to be sent, in ms.
    pub(super) pages: Vec<f64>,
    /// Of everything else that was answered.
    pub(super) refusals: Vec<f64>,
    /// Statuses of those.
    pub(super) statuses: HashMap<u16, usize>,
    /// Connections that ended without an answer.
    pub(super) broken: usize,
    /// Who waited in vain.
    pub(super) left: usize,
    /// From the first request to the last page.
    pub(super) lasted: Duration,
}

struct Caller {
    stream: TcpStream,
    planned: Instant,
    answer: Vec<u8>,
    is_idle: bool,
}

pub(super) struct Crowd {
    port: u16,
    epoll: Epoll,
    callers: HashMap<RawFd, Caller>,
    idle: Vec<RawFd>,
    sent: u64,
    begun: Instant,
    outcome: Outcome,
}

impl Crowd {
    pub(super) fn new(port: u16) -> Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        Ok(Self {
            port,
            epoll,
            callers: HashMap::new(),
            idle: Vec::new(),
            sent: 0,
            begun: Instant::now(),
            outcome: Outcome::default(),
        })
    }

    /// So many requests a second for so long; then all that are under way are waited for.
    pub(super) fn at_rate(mut self, rate: f64, lasts: Duration) -> Result<Outcome> {
        self.begun = Instant::now();
        let begun = self.begun;
        let each = Duration::from_secs_f64(1.0 / rate);
        let mut next = begun;
        let mut looked = begun;
        while begun.elapsed() < lasts || self.idle.len() < self.callers.len() {
            let now = Instant::now();
            while next <= now && next < begun + lasts {
                self.send(next)?;
                next += each;
            }
            self.read()?;
            if looked.elapsed() > Duration::from_millis(200) {
                looked = now;
                self.lose_patience();
            }
        }
        Ok(self.outcome)
    }

    /// So many at a time, each asking again when it is answered: pages a second.
    pub(super) fn at_most(mut self, connections: usize, lasts: Duration) -> Result<f64> {
        let begun = Instant::now();
        while begun.elapsed() < lasts {
            while self.callers.len() - self.idle.len() < connections {
                self.send(Instant::now())?;
            }
            self.read()?;
        }
        let elapsed = begun.elapsed().as_secs_f64();
        if !self.outcome.statuses.is_empty() || self.outcome.broken > 0 {
            return Err(format!("at rest, not all are answered: {:?}", self.outcome.statuses).into());
        }
        Ok(self.outcome.pages.len() as f64 / elapsed)
    }

    fn send(&mut self, planned: Instant) -> Result<()> {
        let client = self.sent % CLIENTS;
        self.sent += 1;
        let request = format!(
            "GET /index.php HTTP/1.1\r\nHost: bench\r\nX-Forwarded-For: 10.0.{}.{}\r\n\r\n",
            client / 100,
            client % 100
        );
        // One that was closed while it lay idle is found out by sending.
        while let Some(fd) = self.idle.pop() {
            let Some(caller) = self.callers.get_mut(&fd) else { continue };
            if caller.stream.write_all(request.as_bytes()).is_ok() {
                (caller.planned, caller.is_idle) = (planned, false);
                return Ok(());
            }
            self.forget(fd);
        }
        if self.callers.len() >= MOST {
            return Err(format!("{MOST} connections are open: nothing is answered any more").into());
        }
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_nodelay(true)?;
        stream.write_all(request.as_bytes())?;
        stream.set_nonblocking(true)?;
        let fd = stream.as_raw_fd();
        self.epoll.add(&stream, EpollEvent::new(EpollFlags::EPOLLIN, u64::try_from(fd)?))?;
        self.callers.insert(fd, Caller { stream, planned, answer: Vec::new(), is_idle: false });
        Ok(())
    }

    fn read(&mut self) -> Result<()> {
        let mut events = [EpollEvent::empty(); 256];
        let count = match self.epoll.wait(&mut events, EpollTimeout::from(1_u8)) {
            Err(nix::errno::Errno::EINTR) => 0,
            other => other?,
        };
        for event in events.iter().take(count) {
            let fd = RawFd::try_from(event.data())?;
            let Some(caller) = self.callers.get_mut(&fd) else { continue };
            let mut buffer = [0; 4096];
            match caller.stream.read(&mut buffer) {
                Ok(0) => {
                    self.outcome.broken += usize::from(!caller.is_idle);
                    self.forget(fd);
                }
                Ok(read) => {
                    caller.answer.extend_from_slice(buffer.get(..read).unwrap_or_default());
                    if let Some(status) = whole(&caller.answer)? {
                        let took = caller.planned.elapsed().as_secs_f64() * 1e3;
                        caller.answer.clear();
                        caller.is_idle = true;
                        self.idle.push(fd);
                        if status == 200 {
                            self.outcome.pages.push(took);
                            self.outcome.lasted = self.begun.elapsed();
                        } else {
                            self.outcome.refusals.push(took);
                            *self.outcome.statuses.entry(status).or_default() += 1;
                        }
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => {
                    self.outcome.broken += usize::from(!caller.is_idle);
                    self.forget(fd);
                }
            }
        }
        Ok(())
    }

    fn lose_patience(&mut self) {
        let over = |caller: &Caller| !caller.is_idle && caller.planned.elapsed() > PATIENCE;
        let late: Vec<RawFd> = self.callers.iter().filter(|(_, caller)| over(caller)).map(|(fd, _)| *fd).collect();
        self.outcome.left += late.len();
        late.into_iter().for_each(|fd| self.forget(fd));
    }

    fn forget(&mut self, fd: RawFd) {
        if let Some(caller) = self.callers.remove(&fd) {
            let _ = self.epoll.delete(&caller.stream);
            self.idle.retain(|other| *other != fd);
        }
    }
}

/// The status of an answer that is there to its end, of those that the servers of this bench give.
fn whole(answer: &[u8]) -> Result<Option<u16>> {
    let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(answer.get(..end).unwrap_or_default())?.to_ascii_lowercase();
    let status = head.split(' ').nth(1).ok_or("an answer without a status")?.parse()?;
    let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let body = answer.get(end + 4..).unwrap_or_default();
    let is_whole = match (field("content-length:"), field("transfer-encoding:")) {
        (Some(length), _) => body.len() >= length.parse::<usize>()?,
        (None, Some("chunked")) => body.ends_with(b"0\r\n\r\n"),
        (None, _) => return Err(format!("an answer without a length: {head}").into()),
    };
    Ok(is_whole.then_some(status))
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn an_answer_is_whole_at_its_end() {
        assert_eq!(whole(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na").unwrap(), None);
        assert_eq!(whole(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab").unwrap(), Some(200));
        assert_eq!(
            whole(b"HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n").unwrap(),
            Some(503)
        );
        assert_eq!(whole(b"HTTP/1.1 200 OK\r\nCont").unwrap(), None);
        assert!(whole(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
