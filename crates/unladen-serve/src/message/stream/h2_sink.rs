//! The principal type is [`H2Sink`]: a body on a stream of HTTP/2.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use h2::server::SendResponse;
use unladen_http1::Fields;

use super::sink_error::SinkError;
use crate::limits::budget::{Claim, Held, Share};
use crate::message::convert::fields_to_h2;

/// What a piece takes besides its bytes: its place among the frames that wait, and the stream that has it.
const PIECE: usize = 3 * 1024;
/// A head that is no larger, and is all of its message, is not held: the bound of streams bounds those, too.
const SMALL_HEAD: usize = 512;
/// The largest piece that is handed over at once: so many are as many as a window may have.
const LARGEST: usize = 1 << 30;

/// A body on a stream of HTTP/2.
///
/// What is handed to `h2` waits there until the peer has room for it, and the socket. Of a client, what waits is held
/// by its share: no more is handed over than the peer's window and the share have room for. But for what is stored: it
/// lies in memory anyhow, and is handed over at once and whole, so that a stream which the client does not read keeps
/// nothing else.
///
/// A response's head is held until some of the body is there, or has to be waited for: an answer that breaks off at once
/// can still be another one, as by HTTP/1.
#[derive(Debug)]
pub(crate) struct H2Sink<'a> {
    stream: Stream<'a>,
    ended: bool,
    /// Of a client.
    claim: Option<Claim>,
    /// What the head that was sent is held by, until a piece or the end follows it.
    of_head: Option<Held>,
}

enum Stream<'a> {
    /// The head is yet to be sent.
    Held(&'a mut SendResponse<Bytes>, http::Response<()>),
    Begun(h2::SendStream<Bytes>),
    /// The head could not be sent.
    Failed,
}

/// A piece on its way: until it is dropped, it is held.
struct Piece {
    bytes: Bytes,
    _held: [Option<Held>; 2],
}

// === impl H2Sink ===

impl<'a> H2Sink<'a> {
    /// `ended`: the head was sent as the whole message.
    pub(crate) fn new(stream: h2::SendStream<Bytes>, ended: bool) -> Self {
        Self { stream: Stream::Begun(stream), ended, claim: None, of_head: None }
    }

    /// For the body of a response to a client, whose head is sent with it. What the client does not take is held by its
    /// share.
    pub(crate) fn holding(send: &'a mut SendResponse<Bytes>, head: http::Response<()>, share: &Arc<Share>) -> Self {
        let claim = Some(Claim::new(share.clone()));
        Self { stream: Stream::Held(send, head), ended: false, claim, of_head: None }
    }

    /// The same of a response that may be its head alone, which is sent at once.
    ///
    /// A client that reads nothing has such heads wait in `h2`, up to as many as it may have streams. What holds one
    /// goes with the frame behind it, if only an empty one (RFC 9113, section 8.1).
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

    /// From here on its head is held by nobody: a connection that waits for a body, or for a window, is not one that takes
    /// nothing. An empty piece would hold it on, and peers end connections with many of those.
    fn part_with_head(&mut self) {
        self.of_head = None;
    }

    /// Whether the peer may have seen anything of the message.
    pub(super) fn has_sent(&self) -> bool {
        !matches!(self.stream, Stream::Held(..))
    }

    fn begun(&mut self) -> Result<&mut h2::SendStream<Bytes>, SinkError> {
        if let Stream::Held(..) = self.stream
            && let Stream::Held(send, head) = std::mem::replace(&mut self.stream, Stream::Failed)
        {
            let size = size(&head);
            self.stream = Stream::Begun(send.send_response(head, false)?);
            self.of_head = self.claim.as_ref().map(|claim| claim.share().hold(PIECE + size).outgoing());
        }
        match &mut self.stream {
            Stream::Begun(stream) => Ok(stream),
            Stream::Held(..) | Stream::Failed => Err(SinkError::Gone),
        }
    }

    /// Takes some of a body, as a copy.
    pub(super) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, SinkError>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let (count, held) = ready!(self.poll_room(cx, data.len()))?;
        self.send(Bytes::copy_from_slice(&data[..count]), held)?;
        Poll::Ready(Ok(count))
    }

    /// Takes some of a body, which is kept alive by this.
    pub(super) fn poll_share(&mut self, cx: &mut Context<'_>, data: &Bytes) -> Poll<Result<usize, SinkError>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let (count, held) = ready!(self.poll_room(cx, data.len()))?;
        self.send(data.slice(..count), held)?;
        Poll::Ready(Ok(count))
    }

    /// Takes what is stored, whole, whether the peer has room for it or not: it takes no more memory than it has.
    pub(super) fn lend(&mut self, data: &Bytes) -> Result<usize, SinkError> {
        let count = data.len().min(LARGEST);
        self.begun()?;
        // With its head, it is one piece.
        let held = match &self.of_head {
            Some(_) => None,
            None => self.claim.as_ref().map(|claim| claim.share().hold(PIECE)),
        };
        self.send(data.slice(..count), held)?;
        Ok(count)
    }

    /// Of so many bytes, how many can be taken, and what they are held by.
    fn poll_room(&mut self, cx: &mut Context<'_>, length: usize) -> Poll<Result<(usize, Option<Held>), SinkError>> {
        let room = self.poll_room_of_both(cx, length);
        if room.is_pending() {
            self.part_with_head();
        }
        room
    }

    /// In the peer's window and in its share.
    fn poll_room_of_both(
        &mut self,
        cx: &mut Context<'_>,
        length: usize,
    ) -> Poll<Result<(usize, Option<Held>), SinkError>> {
        let stream = self.begun()?;
        stream.reserve_capacity(length);
        // It tells of new capacity alone: of what it has told already, and nobody has used, it does not tell again.
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

    /// Of a head that is held, the peer knows nothing.
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

/// What a head takes: its fields, and about as much again for their places.
fn size(head: &http::Response<()>) -> usize {
    2 * head.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>()
}

// === impl Piece ===

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
