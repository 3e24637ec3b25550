//! The principal type is [`FileSource`]: a body from a file, or parts of one with what stands between them.

use std::collections::VecDeque;
use std::io;
use std::io::IoSliceMut;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use rustix::io::{Errno, ReadWriteFlags, pread, preadv2};
use tokio::task::JoinHandle;
use unladen_files::FileBody;

use super::SourceError;
use crate::limits::budget::{Held, Share};

/// Bytes read at a time …
const BLOCK: usize = 64 * 1024;
/// … and without memory left for clients.
const SMALL_BLOCK: usize = 8 * 1024;
/// Bytes checked for being in memory before sendfile is used: what is not is read by a thread that may block on the
/// disk.
const STRETCH: u64 = 2 * 1024 * 1024;
/// Bytes sent before others on this thread have their turn.
const TURN: u64 = 4 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct FileSource {
    file: Arc<OwnedFd>,
    pieces: VecDeque<Piece>,
    way: Way,
    job: Option<JoinHandle<(Vec<u8>, io::Result<usize>)>>,
    turn: u64,
}

#[derive(Debug)]
pub(crate) enum Piece {
    /// Text between parts.
    Bytes(Bytes),
    Part(Range<u64>),
}

#[derive(Debug)]
enum Way {
    /// By sendfile, up to where they are known to be in memory.
    Direct { warm: u64 },
    Read {
        block: Vec<u8>,
        /// Unused bytes of the block.
        start: usize,
        end: usize,
        _held: Option<Held>,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'a> {
    pub(super) file: BorrowedFd<'a>,
    pub(super) at: u64,
    pub(super) most: usize,
}

impl FileSource {
    /// A body sent by the system, to a client that allows it. `is_warm`: it was sent a moment ago.
    pub(crate) fn direct(file: Arc<OwnedFd>, pieces: VecDeque<Piece>, is_warm: bool) -> Self {
        let warm = if is_warm { u64::MAX } else { 0 };
        Self { file, pieces, way: Way::Direct { warm }, job: None, turn: 0 }
    }

    /// A body that is read, into memory of this client's share, if there is some.
    pub(crate) fn read(file: Arc<OwnedFd>, pieces: VecDeque<Piece>, share: Option<&Arc<Share>>) -> Self {
        let length: u64 = pieces.iter().map(Piece::len).sum();
        let wanted = usize::try_from(length).unwrap_or(BLOCK).min(BLOCK);
        let held = share.filter(|_| wanted > SMALL_BLOCK).and_then(|share| share.try_hold(wanted));
        let block = vec![0; if held.is_some() { wanted } else { wanted.min(SMALL_BLOCK) }];
        Self { file, pieces, way: Way::Read { block, start: 0, end: 0, _held: held }, job: None, turn: 0 }
    }

    pub(super) fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, SourceError>> {
        if self.turn >= TURN {
            self.turn = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let part = match self.pieces.front() {
            None => return Poll::Ready(Ok(false)),
            Some(Piece::Bytes(_)) => return Poll::Ready(Ok(true)),
            Some(Piece::Part(part)) => part.clone(),
        };
        match &mut self.way {
            Way::Direct { warm } => {
                if part.start >= *warm {
                    let end = part.end.min(part.start.saturating_add(STRETCH));
                    if let Some(job) = &mut self.job {
                        let done = ready!(Pin::new(job).poll(cx));
                        self.job = None;
                        done.map_err(io::Error::other)?.1?;
                    } else if !is_in_memory(self.file.as_fd(), end - 1)? {
                        self.job = Some(warm_up(self.file.clone(), part.start..end));
                        return self.poll_fill(cx);
                    }
                    *warm = end;
                }
            }
            Way::Read { block, start, end, .. } => {
                if start == end {
                    let count = match &mut self.job {
                        Some(job) => {
                            let (back, read) = ready!(Pin::new(job).poll(cx)).map_err(io::Error::other)?;
                            self.job = None;
                            *block = back;
                            read?
                        }
                        None => {
                            let most = usize::try_from(part.end - part.start).unwrap_or(BLOCK).min(block.len());
                            match read_now(self.file.as_fd(), block.get_mut(..most).unwrap_or_default(), part.start)? {
                                Some(count) => count,
                                None => {
                                    let block = std::mem::take(block);
                                    self.job = Some(read_later(self.file.clone(), block, most, part.start));
                                    return self.poll_fill(cx);
                                }
                            }
                        }
                    };
                    if count == 0 {
                        return Poll::Ready(Err(SourceError::Shrunk));
                    }
                    (*start, *end) = (0, count);
                }
            }
        }
        Poll::Ready(Ok(true))
    }

    /// What has been read; empty if the system is to send it.
    pub(super) fn data(&self) -> &[u8] {
        match (self.pieces.front(), &self.way) {
            (Some(Piece::Bytes(bytes)), _) => bytes,
            (Some(Piece::Part(_)), Way::Read { block, start, end, .. }) => block.get(*start..*end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// What the system is to send next; `None` if it has been read.
    pub(super) fn stretch(&self) -> Option<Stretch<'_>> {
        match (self.pieces.front(), &self.way) {
            (Some(Piece::Part(part)), Way::Direct { warm }) => {
                let most = part.end.min(*warm).saturating_sub(part.start).min(STRETCH);
                Some(Stretch { file: self.file.as_fd(), at: part.start, most: usize::try_from(most).unwrap_or(0) })
            }
            _ => None,
        }
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.turn += count as u64;
        let is_over = match self.pieces.front_mut() {
            None => false,
            Some(Piece::Bytes(bytes)) => {
                bytes.advance(count.min(bytes.len()));
                bytes.is_empty()
            }
            Some(Piece::Part(part)) => {
                part.start = part.end.min(part.start + count as u64);
                if let Way::Read { start, end, .. } = &mut self.way {
                    *start = (*end).min(*start + count);
                }
                part.start >= part.end
            }
        };
        if is_over {
            self.pieces.pop_front();
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.pieces.is_empty()
    }
}

impl Piece {
    /// The pieces of a body from a file.
    pub(crate) fn of(body: FileBody) -> VecDeque<Self> {
        match body {
            FileBody::None => VecDeque::new(),
            FileBody::Part(part) => VecDeque::from([Self::Part(part)]),
            FileBody::Parts(parts, framed) => {
                let heads = framed.heads.into_iter().map(|head| Self::Bytes(head.into()));
                let parts = heads.zip(parts.into_iter().map(Self::Part)).flat_map(|(head, part)| [head, part]);
                parts.chain([Self::Bytes(framed.tail.into())]).collect()
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Part(part) => part.end - part.start,
        }
    }
}

/// Reads from memory; `None` if that would wait for a disk, or the file system cannot tell.
pub(crate) fn read_now(file: BorrowedFd<'_>, into: &mut [u8], at: u64) -> io::Result<Option<usize>> {
    match preadv2(file, &mut [IoSliceMut::new(into)], at, ReadWriteFlags::NOWAIT) {
        Ok(count) => Ok(Some(count)),
        Err(Errno::AGAIN | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(None),
        Err(Errno::INTR) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// Whether a byte is in memory, and so most likely those before it, as the system reads ahead. Past the end there is
/// nothing to wait for.
fn is_in_memory(file: BorrowedFd<'_>, at: u64) -> io::Result<bool> {
    Ok(read_now(file, &mut [0; 1], at)?.is_some())
}

fn read_later(
    file: Arc<OwnedFd>,
    mut block: Vec<u8>,
    most: usize,
    at: u64,
) -> JoinHandle<(Vec<u8>, io::Result<usize>)> {
    tokio::task::spawn_blocking(move || {
        let read = read_waiting(&file, block.get_mut(..most).unwrap_or_default(), at);
        (block, read)
    })
}

fn warm_up(file: Arc<OwnedFd>, stretch: Range<u64>) -> JoinHandle<(Vec<u8>, io::Result<usize>)> {
    tokio::task::spawn_blocking(move || {
        let mut block = vec![0; BLOCK];
        let mut at = stretch.start;
        let read = loop {
            if at >= stretch.end {
                break Ok(0);
            }
            match read_waiting(&file, &mut block, at) {
                Ok(0) => break Ok(0),
                Ok(count) => at += count as u64,
                Err(error) => break Err(error),
            }
        };
        (block, read)
    })
}

fn read_waiting(file: &OwnedFd, into: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        match pread(file, &mut *into, at) {
            Err(Errno::INTR) => (),
            read => return Ok(read?),
        }
    }
}
