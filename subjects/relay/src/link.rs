//! The principal type is [`Link`]: one relayed connection, its two sockets and what is on its way between them.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::libc;
use nix::sys::epoll::EpollFlags;
use nix::sys::socket::sockopt::{Linger, TcpNoDelay};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrStorage, connect, setsockopt, socket};

use crate::budget::Budget;
use crate::counts::Counts;
use crate::lane::{Due, Lane};

/// Who sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client = 0,
    Service = 1,
}

/// At most so much is read of one side before others have their turn.
const TURN: usize = 256 << 10;

/// What all links share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) budget: Budget,
    pub(crate) counts: Counts,
    pub(crate) buffer: Vec<u8>,
}

/// What becomes of a link.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It has something to do at this time, or nothing before one of its sockets has.
    At(Option<u64>),
    /// More can be read right now.
    Again,
    /// Both its sockets are to be closed.
    Gone,
}

#[derive(Debug)]
pub(crate) struct Link {
    to: SocketAddr,
    connects: u64,
    /// That of the service is there once it is time to connect.
    ends: [Option<End>; 2],
    lanes: [Lane; 2],
    /// Its next entry in the timetable.
    pub(crate) entry: Option<u64>,
}

/// One socket.
#[derive(Debug)]
struct End {
    stream: TcpStream,
    is_readable: bool,
    is_writable: bool,
    /// Its last event told of an end: a short read is then not all that there is.
    is_ending: bool,
    /// Its last event told of a failure, which for an open connection is its reset.
    has_failed: bool,
}

impl Side {
    pub(crate) const BOTH: [Self; 2] = [Self::Client, Self::Service];

    fn other(self) -> Self {
        if self == Self::Client { Self::Service } else { Self::Client }
    }
}

impl Link {
    /// Of a connection that was accepted now.
    pub(crate) fn new(client: TcpStream, to: SocketAddr, now: u64, delay: u64) -> Self {
        let stands = now + 2 * delay;
        Self {
            to,
            connects: now + delay,
            ends: [Some(End::new(client)), None],
            lanes: [Lane::new(delay, stands), Lane::new(delay, now)],
            entry: None,
        }
    }

    /// The socket of a side, to be watched.
    pub(crate) fn stream(&self, side: Side) -> Option<&TcpStream> {
        self.ends[side as usize].as_ref().map(|end| &end.stream)
    }

    /// A socket's event.
    pub(crate) fn saw(&mut self, side: Side, flags: EpollFlags) {
        let Some(end) = &mut self.ends[side as usize] else { return };
        let ending = EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR;
        end.is_readable |= flags.intersects(EpollFlags::EPOLLIN | ending);
        end.is_writable |= flags.intersects(EpollFlags::EPOLLOUT | EpollFlags::EPOLLERR);
        end.is_ending |= flags.intersects(ending);
        end.has_failed |= flags.intersects(EpollFlags::EPOLLERR);
    }

    /// Does all that can be done now.
    pub(crate) fn advance(&mut self, now: u64, shared: &mut Shared) -> Next {
        if self.ends[Side::Service as usize].is_none() && self.connects <= now && !self.lanes[1].has_ended() {
            match open(self.to) {
                Ok(stream) => self.ends[Side::Service as usize] = Some(End::new(stream)),
                Err(_) => self.reset_by(Side::Service, now, shared),
            }
        }
        let mut again = false;
        for side in Side::BOTH {
            again |= self.read(side, now, shared);
            // One that has ended its sending is not read any more.
            if self.lanes[side as usize].has_ended()
                && self.ends[side as usize].as_ref().is_some_and(|end| end.has_failed)
            {
                self.reset_by(side, now, shared);
            }
        }
        for side in Side::BOTH {
            if self.forward(side, now, shared) {
                return Next::Gone;
            }
        }
        // What has been forwarded may have made room for what waits.
        for side in Side::BOTH {
            again |= self.read(side, now, shared);
        }
        if self.lanes.iter().all(Lane::is_end_forwarded) {
            Next::Gone
        } else if again {
            Next::Again
        } else {
            Next::At(self.next(now))
        }
    }

    fn next(&self, now: u64) -> Option<u64> {
        let later = self.lanes.iter().filter_map(|lane| match lane.due(now) {
            Due::Later(at) => Some(at),
            // It waits for room, and a reset behind it does not.
            _ => lane.reset_due(),
        });
        let connects = self.ends[Side::Service as usize].is_none().then_some(self.connects);
        later.chain(connects).filter(|at| *at > now).min()
    }

    /// Takes in what this side has sent; whether there is more, and room for it.
    fn read(&mut self, side: Side, now: u64, shared: &mut Shared) -> bool {
        let lane = &mut self.lanes[side as usize];
        let Some(end) = &mut self.ends[side as usize] else { return false };
        let mut turn = 0;
        while end.is_readable && !lane.has_ended() {
            let room = shared.budget.room(lane.held()).min(shared.buffer.len());
            if room == 0 {
                return false;
            }
            if turn >= TURN {
                return true;
            }
            match end.stream.read(&mut shared.buffer[..room]) {
                Ok(0) => lane.end(now),
                Ok(length) => {
                    shared.budget.take(lane.send(now, &shared.buffer[..length]));
                    turn += length;
                    end.is_readable = length == room || end.is_ending;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => end.is_readable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    self.reset_by(side, now, shared);
                    return false;
                }
            }
        }
        false
    }

    /// Forwards what this side has sent and what is due; whether that was the connection's reset.
    fn forward(&mut self, side: Side, now: u64, shared: &mut Shared) -> bool {
        loop {
            let lane = &mut self.lanes[side as usize];
            let end = self.ends[side.other() as usize].as_mut();
            match (lane.due(now), end) {
                (Due::Later(_) | Due::Nothing, _) => return false,
                (Due::Reset, end) => {
                    end.into_iter().for_each(End::reset_when_closed);
                    return true;
                }
                // It is not connected yet.
                (_, None) => return false,
                (Due::End, Some(end)) => {
                    // One that has been reset tells so when it is read.
                    let _ = end.stream.shutdown(Shutdown::Write);
                    lane.end_forwarded();
                }
                (Due::Bytes(bytes), Some(end)) => {
                    let wrote =
                        if end.is_writable { end.stream.write(bytes) } else { Err(ErrorKind::WouldBlock.into()) };
                    match wrote {
                        Ok(length) => {
                            shared.budget.give_back(lane.forwarded(length));
                            shared.counts.forwarded(side, length);
                        }
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        Err(error) if error.kind() == ErrorKind::WouldBlock => {
                            end.is_writable = false;
                            if lane.overtakes(now) {
                                end.reset_when_closed();
                                return true;
                            }
                            return false;
                        }
                        Err(_) => {
                            self.reset_by(side.other(), now, shared);
                            return false;
                        }
                    }
                }
            }
        }
    }

    /// This side has reset the connection: the other learns of it in time, and what was on the way to this side is
    /// lost.
    fn reset_by(&mut self, side: Side, now: u64, shared: &mut Shared) {
        self.lanes[side as usize].reset(now);
        self.forget(side.other(), shared);
        let lane = &mut self.lanes[side.other() as usize];
        // Nobody is there to read any more of it.
        lane.end(now);
        lane.end_forwarded();
    }

    fn forget(&mut self, side: Side, shared: &mut Shared) {
        let held = self.lanes[side as usize].clear();
        shared.budget.give_back(held);
    }

    /// Gives back what it holds of the budget.
    pub(crate) fn close(mut self, shared: &mut Shared) {
        Side::BOTH.into_iter().for_each(|side| self.forget(side, shared));
    }
}

impl End {
    /// Whether anything can be read or written the first event tells, which comes at once.
    fn new(stream: TcpStream) -> Self {
        Self { stream, is_readable: false, is_writable: false, is_ending: false, has_failed: false }
    }

    /// A socket that does not linger is closed with a reset.
    fn reset_when_closed(&mut self) {
        // Closed with an end instead, the other side would learn of less.
        let _ = setsockopt(&self.stream, Linger, &libc::linger { l_onoff: 1, l_linger: 0 });
    }
}

/// A connection that is being opened: if it fails, its first event tells.
fn open(to: SocketAddr) -> io::Result<TcpStream> {
    let family = if to.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let socket = socket(family, SockType::Stream, SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC, None)?;
    setsockopt(&socket, TcpNoDelay, &true)?;
    match connect(socket.as_raw_fd(), &SockaddrStorage::from(to)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Ok(socket.into()),
        Err(error) => Err(error.into()),
    }
}

impl Counts {
    fn forwarded(&mut self, by: Side, bytes: usize) {
        match by {
            Side::Client => self.to_service += bytes as u64,
            Side::Service => self.to_client += bytes as u64,
        }
    }
}
