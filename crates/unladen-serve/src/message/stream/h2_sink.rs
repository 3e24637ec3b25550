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
    _held: Held,
}

// === impl H2Sink ===

impl<'a> H2Sink<'a> {
    /// `ended`: the head was sent as the whole message.
    pub(crate) fn new(stream: h2::SendStream<Bytes>, ended: bool) -> Self {
        Self { stream: Stream::Begun(stream), ended, claim: None }
    }

    /// For the body of a response whose head is sent with it.
    pub(crate) fn holding(send: &'a mut SendResponse<Bytes>, head: http::Response<()>) -> Self {
        Self { stream: Stream::Held(send, head), ended: false, claim: None }
    }

    /// Sends the head.
    pub(super) fn begin(&mut self) -> Result<(), SinkError> {
        self.begun().map(drop)
    }

    /// Whether the peer may have seen anything of the message.
    pub(super) fn has_sent(&self) -> bool {
        !matches!(self.stream, Stream::Held(..))
    }

    fn begun(&mut self) -> Result<&mut h2::SendStream<Bytes>, SinkError> {
        if let Stream::Held(..) = self.stream
            && let Stream::Held(send, head) = std::mem::replace(&mut self.stream, Stream::Failed)
        {
            self.stream = Stream::Begun(send.send_response(head, false)?);
        }
        match &mut self.stream {
            Stream::Begun(stream) => Ok(stream),
            Stream::Held(..) | Stream::Failed => Err(SinkError::Gone),
        }
    }

    /// To a client: what it does not take is held for it.
    pub(crate) fn for_client(self, share: Option<&Arc<Share>>) -> Self {
        Self { claim: share.cloned().map(Claim::new), ..self }
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
        let held = self.claim.as_ref().map(|claim| claim.share().hold(PIECE));
        self.send(data.slice(..count), held)?;
        Ok(count)
    }

    /// Of so many bytes, how many can be taken, and what they are held by.
    fn poll_room(&mut self, cx: &mut Context<'_>, length: usize) -> Poll<Result<(usize, Option<Held>), SinkError>> {
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
        let bytes = match held {
            Some(held) => Bytes::from_owner(Piece { bytes, _held: held.outgoing() }),
            None => bytes,
        };
        Ok(self.begun()?.send_data(bytes, false)?)
    }

    pub(super) fn end(&mut self, trailers: Option<&Fields>) -> Result<(), SinkError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        let stream = self.begun()?;
        match trailers {
            Some(trailers) => stream.send_trailers(fields_to_h2(trailers))?,
            None => stream.send_data(Bytes::new(), true)?,
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

// === impl Piece ===

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
