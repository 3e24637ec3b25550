//! The principal type is [`H2Sink`]: a body on an HTTP/2 stream.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use h2::server::SendResponse;
use unladen_http1::Fields;

use super::SinkError;
use crate::limits::budget::{Claim, Held, Share};
use crate::message::fields_to_h2;

/// Bytes for a piece besides its content: its place among waiting frames, and its stream.
const PIECE: usize = 3 * 1024;
/// Largest head that is its whole message and not held: the bound on streams bounds those, too.
const SMALL_HEAD: usize = 512;
/// Largest piece handed over at once: an HTTP/2 window has no more.
const LARGEST: usize = 1 << 30;

/// A body on an HTTP/2 stream.
///
/// What `h2` is given waits there for the peer's window and the socket. For a client, its share holds that: no more is
/// handed over than window and share have room for. Stored bodies are in memory anyhow, so they are handed over at once
/// and whole, and an unread stream keeps nothing else.
///
/// A response's head is held back until some of the body is there or has to be waited for: an answer that breaks off at
/// once can still be replaced, as in HTTP/1.
#[derive(Debug)]
pub(crate) struct H2Sink<'a> {
    stream: Stream<'a>,
    ended: bool,
    claim: Option<Claim>,
    /// Holds the sent head's memory until a piece or the end follows.
    of_head: Option<Held>,
}

enum Stream<'a> {
    Held(&'a mut SendResponse<Bytes>, http::Response<()>),
    Begun(h2::SendStream<Bytes>),
    Failed,
}

/// A piece on its way; dropping it releases what it holds.
struct Piece {
    bytes: Bytes,
    _held: [Option<Held>; 2],
}

impl<'a> H2Sink<'a> {
    /// `ended`: the head was the whole message.
    pub(crate) fn new(stream: h2::SendStream<Bytes>, ended: bool) -> Self {
        Self { stream: Stream::Begun(stream), ended, claim: None, of_head: None }
    }

    /// For a response to a client, whose head is sent with the body's beginning. The client's share holds what it does
    /// not take.
    pub(crate) fn holding(send: &'a mut SendResponse<Bytes>, head: http::Response<()>, share: &Arc<Share>) -> Self {
        let claim = Some(Claim::new(share.clone()));
        Self { stream: Stream::Held(send, head), ended: false, claim, of_head: None }
    }

    /// For a response that may be only a head, which is sent at once.
    ///
    /// For a client that reads nothing, such heads wait in `h2`, up to the bound on streams. The hold on one goes with
    /// the frame behind it, even an empty one (RFC 9113, section 8.1).
    pub(crate) fn begun_with(
        send: &'a mut SendResponse<Bytes>,
        head: http::Response<()>,
        is_all: bool,
        share: &Arc<Share>,
    ) -> Result<Self, SinkError> {
        let ends = is_all && size(&head) <= SMALL_HEAD;
        let mut sink = Self::holding(send, head, share);
        if ends && let Stream::Held(send, head) = std::mem::replace(&mut sink.stream, Stream::Failed) {
            return Ok(Self { stream: Stream::Begun(send.send_response(head, true)?), ended: true, ..sink });
        }
        match is_all {
            true => sink.end(None)?,
            false => sink.begin()?,
        }
        Ok(sink)
    }

    /// Sends the head, whose body has to be waited for.
    pub(super) fn begin(&mut self) -> Result<(), SinkError> {
        self.begun()?;
        self.part_with_head();
        Ok(())
    }

    /// Releases the head's hold: a connection waiting for a body or a window is not one that takes nothing. An empty
    /// piece would keep the hold, but peers end connections with many of those.
    fn part_with_head(&mut self) {
        self.of_head = None;
    }

    pub(super) fn has_sent(&self) -> bool {
        !matches!(self.stream, Stream::Held(..))
    }

    fn begun(&mut self) -> Result<&mut h2::SendStream<Bytes>, SinkError> {
        if let Stream::Held(..) = self.stream
            && let Stream::Held(send, head) = std::mem::replace(&mut self.stream, Stream::Failed)
        {
            let size = size(&head);
            self.stream = Stream::Begun(send.send_response(head, false)?);
            self.of_head = self.claim.as_ref().map(|claim| claim.share.hold(PIECE + size).outgoing());
        }
        match &mut self.stream {
            Stream::Begun(stream) => Ok(stream),
            Stream::Held(..) | Stream::Failed => Err(SinkError::Gone),
        }
    }

    /// Takes a copy of some of the body.
    pub(super) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let (count, held) = ready!(self.poll_room(cx, data.len()))?;
        self.send(Bytes::copy_from_slice(&data[..count]), held)?;
        Poll::Ready(Ok(count))
    }

    /// Takes some of the body by reference.
    pub(super) fn poll_share(&mut self, cx: &mut Context<'_>, data: &Bytes) -> Poll<Result<usize, SinkError>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let (count, held) = ready!(self.poll_room(cx, data.len()))?;
        self.send(data.slice(..count), held)?;
        Poll::Ready(Ok(count))
    }

    /// Takes a stored body whole, whatever the peer's window: it uses no more memory than it does already.
    pub(super) fn lend(&mut self, data: &Bytes) -> Result<usize, SinkError> {
        let count = data.len().min(LARGEST);
        self.begun()?;
        // With its head, it is one piece.
        let held = match &self.of_head {
            Some(_) => None,
            None => self.claim.as_ref().map(|claim| claim.share.hold(PIECE)),
        };
        self.send(data.slice(..count), held)?;
        Ok(count)
    }

    /// How many of `length` bytes can be taken, and their hold.
    fn poll_room(&mut self, cx: &mut Context<'_>, length: usize) -> Poll<Result<(usize, Option<Held>), SinkError>> {
        let room = self.poll_room_of_both(cx, length);
        if room.is_pending() {
            self.part_with_head();
        }
        room
    }

    /// Room in both the peer's window and the share.
    fn poll_room_of_both(
        &mut self,
        cx: &mut Context<'_>,
        length: usize,
    ) -> Poll<Result<(usize, Option<Held>), SinkError>> {
        let stream = self.begun()?;
        stream.reserve_capacity(length);
        // `h2` reports new capacity only: what was reported and not used is not repeated.
        let capacity = loop {
            match stream.capacity().min(length) {
                0 => match ready!(stream.poll_capacity(cx)) {
                    Some(told) => drop(told?),
                    None => return Poll::Ready(Err(h2::Error::from(h2::Reason::STREAM_CLOSED).into())),
                },
                capacity => break capacity,
            }
        };
        let Some(claim) = &mut self.claim else { return Poll::Ready(Ok((capacity, None))) };
        let mut held = ready!(claim.poll_hold(cx, capacity));
        let count = held.bytes();
        held.set(count + PIECE);
        Poll::Ready(Ok((count, Some(held))))
    }

    fn send(&mut self, bytes: Bytes, held: Option<Held>) -> Result<(), SinkError> {
        self.begun()?;
        let bytes = Piece::holding(bytes, [held.map(Held::outgoing), self.of_head.take()]);
        Ok(self.begun()?.send_data(bytes, false)?)
    }

    pub(super) fn end(&mut self, trailers: Option<&Fields>) -> Result<(), SinkError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        self.begun()?;
        let of_head = self.of_head.take();
        let stream = self.begun()?;
        match trailers {
            Some(trailers) => stream.send_trailers(fields_to_h2(trailers))?,
            None => stream.send_data(Piece::holding(Bytes::new(), [of_head, None]), true)?,
        }
        Ok(())
    }

    pub(super) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        match &mut self.stream {
            Stream::Held(send, _) => send.poll_reset(cx).is_ready(),
            Stream::Begun(stream) => stream.poll_reset(cx).is_ready(),
            Stream::Failed => true,
        }
    }

    /// A head held back is unknown to the peer.
    pub(super) fn reset(&mut self) {
        if let Stream::Begun(stream) = &mut self.stream {
            stream.send_reset(h2::Reason::CANCEL);
        }
    }
}

impl std::fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Held(..) => "Held",
            Self::Begun(_) => "Begun",
            Self::Failed => "Failed",
        })
    }
}

/// Memory of a head: its fields, and about as much again for their places.
fn size(head: &http::Response<()>) -> usize {
    2 * head.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>()
}

impl Piece {
    fn holding(bytes: Bytes, held: [Option<Held>; 2]) -> Bytes {
        match held {
            [None, None] => bytes,
            held => Bytes::from_owner(Self { bytes, _held: held }),
        }
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
