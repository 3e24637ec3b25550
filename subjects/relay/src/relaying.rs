//! The principal type is [`Relaying`]: the loop that waits for sockets and for times, and moves links on.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Write};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use crate::budget::Budget;
use crate::counts::Counts;
use crate::link::{Link, Next, Shared, Side};
use crate::timetable::{Timetable, now};

/// What to relay.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Of each direction.
    pub(crate) delay: Duration,
    /// Who connects here is told the counts.
    pub(crate) counts: Option<SocketAddr>,
    /// Where to listen, and where to connect to.
    pub(crate) routes: Vec<(SocketAddr, SocketAddr)>,
}

/// The most connections, if descriptors suffice; more wait in the listeners' queues.
const MOST: usize = 4_096;
/// Connections fewer than half of the descriptors, so that all else has some.
const SPARE: usize = 16;

/// What an event is of: the timer, a listener by its index, or a link's side. Links are numbered from a place beyond.
const TIMER: u64 = 0;
const LISTENERS: u64 = 1;
const LINKS: u64 = 1 << 32;

#[derive(Debug)]
pub(crate) struct Relaying {
    epoll: Epoll,
    timetable: Timetable<u64>,
    listeners: Vec<(TcpListener, Role)>,
    delay: u64,
    most: usize,
    /// Whether listeners are left alone, as there are enough links.
    is_full: bool,
    links: HashMap<u64, Link>,
    /// Of the next link. No number comes twice, so an event of one that has gone finds none.
    number: u64,
    shared: Shared,
}

#[derive(Debug, Clone, Copy)]
enum Role {
    Relay(SocketAddr),
    Counts,
}

impl Relaying {
    /// Listens; at most so many connections at once.
    pub(crate) fn open(settings: &Settings, most: usize) -> io::Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let timetable = Timetable::new()?;
        epoll.add(&timetable, EpollEvent::new(EpollFlags::EPOLLIN | EpollFlags::EPOLLET, TIMER))?;
        let routes = settings.routes.iter().map(|(listen, to)| (*listen, Role::Relay(*to)));
        let counts = settings.counts.iter().map(|listen| (*listen, Role::Counts));
        let mut listeners = Vec::new();
        for (listen, role) in routes.chain(counts) {
            let listener = TcpListener::bind(listen)
                .map_err(|error| io::Error::new(error.kind(), format!("{listen}: {error}")))?;
            listener.set_nonblocking(true)?;
            epoll.add(&listener, EpollEvent::new(EpollFlags::EPOLLIN, LISTENERS + listeners.len() as u64))?;
            listeners.push((listener, role));
        }
        Ok(Self {
            epoll,
            timetable,
            listeners,
            delay: u64::try_from(settings.delay.as_nanos()).unwrap_or(u64::MAX),
            most: most.saturating_sub(SPARE).clamp(1, MOST),
            is_full: false,
            links: HashMap::new(),
            number: LINKS,
            shared: Shared { budget: Budget::default(), counts: Counts::default(), buffer: vec![0; 64 << 10] },
        })
    }

    /// For ever.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        let mut events = [EpollEvent::empty(); 256];
        // Links of which more can be read without waiting.
        let mut again: Vec<u64> = Vec::new();
        loop {
            self.timetable.set()?;
            let timeout = if again.is_empty() { EpollTimeout::NONE } else { EpollTimeout::ZERO };
            let ready = match self.epoll.wait(&mut events, timeout) {
                Err(Errno::EINTR) => continue,
                ready => ready?,
            };
            let mut moved = std::mem::take(&mut again);
            for event in &events[..ready] {
                match event.data() {
                    TIMER => {}
                    listener if listener < LINKS => {
                        self.accept(usize::try_from(listener - LISTENERS).unwrap_or(usize::MAX), &mut moved)?;
                    }
                    token => {
                        let (number, side) = (token >> 1, Side::BOTH[usize::from(token & 1 == 1)]);
                        if let Some(link) = self.links.get_mut(&number) {
                            link.saw(side, event.events());
                            moved.push(number);
                        }
                    }
                }
            }
            for number in moved {
                self.advance(number, &mut again)?;
            }
            while let Some((at, number)) = self.timetable.pop(now()?) {
                if let Some(link) = self.links.get_mut(&number) {
                    link.entry.take_if(|entry| *entry == at);
                }
                self.advance(number, &mut again)?;
            }
        }
    }

    fn accept(&mut self, index: usize, moved: &mut Vec<u64>) -> io::Result<()> {
        let Some((listener, role)) = self.listeners.get(index) else { return Ok(()) };
        while self.links.len() < self.most {
            let mut stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                // Whoever it was has gone again.
                Err(error) if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::Interrupted) => continue,
                Err(error) => return Err(error),
            };
            let Role::Relay(to) = *role else {
                // So little always finds room.
                let _ = stream.write_all(self.shared.counts.to_string().as_bytes());
                continue;
            };
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
            let now = now()?;
            self.shared.counts.connections += 1;
            let number = self.number;
            self.number += 1;
            watch(&self.epoll, &stream, number, Side::Client)?;
            self.links.insert(number, Link::new(stream, to, now, self.delay));
            moved.push(number);
        }
        self.listen(false)
    }

    /// Whether new connections are wanted.
    fn listen(&mut self, wanted: bool) -> io::Result<()> {
        if self.is_full != wanted {
            return Ok(());
        }
        self.is_full = !wanted;
        let flags = if wanted { EpollFlags::EPOLLIN } else { EpollFlags::empty() };
        for (token, (listener, _)) in (LISTENERS..).zip(&self.listeners) {
            self.epoll.modify(listener, &mut EpollEvent::new(flags, token))?;
        }
        Ok(())
    }

    fn advance(&mut self, number: u64, again: &mut Vec<u64>) -> io::Result<()> {
        let Some(link) = self.links.get_mut(&number) else { return Ok(()) };
        let was_connected = link.stream(Side::Service).is_some();
        let next = link.advance(now()?, &mut self.shared);
        if let Some(stream) = link.stream(Side::Service).filter(|_| !was_connected) {
            watch(&self.epoll, stream, number, Side::Service)?;
        }
        match next {
            Next::At(at) => {
                if let Some(at) = at.filter(|at| link.entry.is_none_or(|entry| *at < entry)) {
                    link.entry = Some(at);
                    self.timetable.add(at, number);
                }
            }
            Next::Again => again.push(number),
            Next::Gone => {
                if let Some(link) = self.links.remove(&number) {
                    link.close(&mut self.shared);
                }
                self.listen(true)?;
            }
        }
        Ok(())
    }
}

/// By edges: each change is told once, and nothing has to be switched off and on.
fn watch(epoll: &Epoll, stream: &std::net::TcpStream, number: u64, side: Side) -> io::Result<()> {
    let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET;
    Ok(epoll.add(stream, EpollEvent::new(flags, number << 1 | side as u64))?)
}
