//! A client's connection of HTTP/2: many requests at a time, each a task of its own.

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll};
use std::time::Instant;

use bytes::Bytes;
use h2::server::SendResponse;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use unladen_pool::{Buffer, Transport};

use crate::client::{Client, H2Client};
use crate::compose;
use crate::context::{Context, Scratch, Slot};
use crate::convert::request_from_h2;
use crate::errand::Errand;
use crate::front::{Call, Desk, Peer};
use crate::record::{End, Reason, Version};
use crate::stream::{H2Source, Source};
use crate::watch::{Deadline, Watch};

/// Of a request's body; more is sent when what is there has gone to the upstream.
const STREAM_WINDOW: u32 = 256 * 1024;
/// The largest there is (RFC 9113, section 6.9.1).
const LARGEST_WINDOW: u32 = (1 << 31) - 1;
/// Streams that a client may reset before they are answered, at a time: those who reset more are cut off (CVE-2023-44487).
const RESET_STREAMS: usize = 32;
/// Of one response, what is kept for a client that does not take it yet.
const SEND_BUFFER: usize = 256 * 1024;
/// What small pieces of bodies (below 256 bytes) may cost besides what they carry, for the time they wait to be taken: as much as a
/// stream's window full of pieces of 16 bytes. A client that streams such is not at fault when the upstream is slow.
const SMALL_PIECES: usize = 4 * 1024 * 1024;

/// Answers a client until it goes, or is to go.
pub(crate) async fn serve(transport: Transport, read: Buffer, peer: Peer, context: Rc<Context>, slot: Rc<Slot>) {
    let client = slot.beside.borrow().settings.client.clone();
    // Room for all bodies at a time: those that their upstream does not take do not hold the others up.
    let window = STREAM_WINDOW.saturating_mul(client.streams).min(LARGEST_WINDOW);
    let mut builder = h2::server::Builder::new();
    builder
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(window)
        .max_concurrent_streams(client.streams)
        .max_header_list_size(u32::try_from(client.head_bytes).unwrap_or(u32::MAX))
        .max_concurrent_reset_streams(RESET_STREAMS)
        .max_pending_accept_reset_streams(RESET_STREAMS)
        .max_send_buffer_size(SEND_BUFFER)
        .data_frame_budget(SMALL_PIECES);
    let mut watch = Watch::new();
    let deadline = Deadline::new(Instant::now(), client.head_timeout, None);
    let shaking = builder.handshake::<_, Bytes>(Rewound { read, transport });
    let Some(Ok(mut connection)) = watch.over(&deadline, pin!(shaking)).await else { return };
    let mut drain = std::pin::pin!(context.drain.notified());
    let mut is_draining = context.is_draining.get();
    if is_draining {
        connection.graceful_shutdown();
    }
    let open = Rc::new(std::cell::Cell::new(0_usize));
    let mut closing = std::pin::pin!(context.close_idle.notified());
    let mut is_closing = false;
    loop {
        // As long as a stream is open, its own bounds hold.
        let deadline = Deadline::new(Instant::now(), client.idle, None);
        let accepting = poll_fn(|cx| {
            if !is_draining && drain.as_mut().poll(cx).is_ready() {
                is_draining = true;
                connection.graceful_shutdown();
            }
            while !is_closing && closing.as_mut().poll(cx).is_ready() {
                // A client need not have heard of the first GOAWAY, nor answer the PING that asks whether it has.
                is_closing = open.get() == 0;
                if is_closing {
                    connection.abrupt_shutdown(h2::Reason::NO_ERROR);
                } else {
                    closing.set(context.close_idle.notified());
                }
            }
            connection.poll_accept(cx)
        });
        match watch.over(&deadline, pin!(accepting)).await {
            Some(Some(Ok((head, send)))) => {
                let open = Open::new(&open);
                let (context, slot) = (context.clone(), slot.clone());
                tokio::task::spawn_local(async move {
                    answer(head, send, peer, &context, &slot).await;
                    drop(open);
                });
            }
            Some(_) => return,
            None if open.get() == 0 && !is_draining => {
                is_draining = true;
                connection.graceful_shutdown();
            }
            None if open.get() == 0 => return,
            None => (),
        }
    }
}

/// Counts a stream as long as it is open.
struct Open(Rc<std::cell::Cell<usize>>);

impl Open {
    fn new(open: &Rc<std::cell::Cell<usize>>) -> Self {
        open.set(open.get() + 1);
        Self(open.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

async fn answer(
    head: http::Request<h2::RecvStream>,
    mut send: SendResponse<Bytes>,
    peer: Peer,
    context: &Rc<Context>,
    slot: &Slot,
) {
    let began = Instant::now();
    let beside = slot.beside.borrow().clone();
    let (head, body) = head.into_parts();
    let mut scratch = context.scratch();
    let Scratch { request, response, request_id, up, key, variant, more, .. } = &mut *scratch;
    let mut watch = Watch::new();
    let mut client = Client::H2(H2Client { send: &mut send, address: peer.address, touch: None });
    if let Err(fault) = request_from_h2(request, &head, body.is_end_stream(), &beside.request_limits()) {
        let words = compose::local(response, Reason::Malformed(fault), None);
        let _ = client.answer(response, &words, false, beside.settings.via).await;
    } else {
        let mut body = Source::H2(Box::new(H2Source::new(body)));
        let version = Version::Http2;
        let index = slot.index.get();
        let front = slot.front.borrow().clone();
        let end = if let Some(front) = &front {
            let call = Call { context, front, index, version, began, now: began, peer };
            let (watch, client, body) = (&mut watch, &mut client, &mut body);
            let mut desk = Desk { watch, body, client, response, up, id: request_id, key, variant, more };
            match slot.redirects {
                true => call.redirect(request, &mut desk).await.0,
                false => call.run(request, &mut desk).await.0,
            }
        } else {
            let errand = Errand { context, beside: &beside, index, request, version, began, now: began, cache: None };
            errand.run(&mut watch, &mut body, &mut client, response, up, request_id).await.0
        };
        // A client that was answered before it had said all is told by dropping the stream, when the answer has gone out (RFC 9113,
        // section 8.1): a reset from here would take with it what is still to be sent.
        if matches!(end, End::Broken(_)) {
            send.send_reset(h2::Reason::INTERNAL_ERROR);
        }
        // What the client still sends of a request that has its answer, is refused when the stream is dropped, with NO_ERROR and
        // once the answer is out (RFC 9113, section 8.1). Said here, it would take the place of what waits to be sent.
    }
    context.give_back(scratch);
}

/// A connection of which something was read already.
struct Rewound {
    read: Buffer,
    transport: Transport,
}

impl AsyncRead for Rewound {
    fn poll_read(self: Pin<&mut Self>, cx: &mut TaskContext<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.read.is_empty() {
            return Pin::new(&mut this.transport).poll_read(cx, into);
        }
        let count = this.read.bytes().len().min(into.remaining());
        into.put_slice(&this.read.bytes()[..count]);
        this.read.consume(count);
        this.read.release();
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Rewound {
    fn poll_write(self: Pin<&mut Self>, cx: &mut TaskContext<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().transport).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut TaskContext<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().transport).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().transport).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().transport).poll_shutdown(cx)
    }
}
