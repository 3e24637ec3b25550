//! A client's HTTP/2 connection: many requests at a time, each a task of its own.
//!
//! What a connection may have `h2` keep is bounded by its settings ([`bounded`]) and by the connection's share of
//! client memory (`budget`): open requests, the windows of their bodies, and what waits to be sent.

pub(crate) mod wire;

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::server::{Builder, SendResponse};
use unladen_observability::{End, Reason, Version};
use unladen_pool::{Buffer, Transport};
use unladen_serve_config::ClientSettings;

use self::wire::Wire;
use super::Refusal;
use crate::context::{Buffers, Context};
use crate::limits::budget::{Claim, Held, Share};
use crate::message::downstream::{Client, ClientSide, Downstream, H2Downstream};
use crate::message::request_from_h2;
use crate::message::stream::{BodySource, H2Source};
use crate::proxy::head_limits;
use crate::request::watch::{Deadline, Stretch, Watch};
use crate::responder::Slot;
use crate::responder::admit::Arrival;
use crate::site::trust::Peer;

/// Window for a request's body; more is sent once the upstream has taken what is there. A connection has one such
/// window for all bodies, plus one for each body as long as there is room, so that bodies stuck at their upstream do
/// not hold up the others.
const STREAM_WINDOW: u32 = 256 * 1024;
/// Most streams reset by either side whose state is kept; connections that reset more are cut off (CVE-2023-44487,
/// CVE-2025-8671).
const RESET_STREAMS: usize = 32;
/// How long streams we reset are remembered: frames that cross the reset are no error.
const RESET_TIME: Duration = Duration::from_secs(1);
/// Most streams reset for the client's errors during a connection.
const FAULTY_STREAMS: usize = 256;
/// Longest frame accepted: the least that RFC 9113 allows.
const FRAME: u32 = 16 * 1024;
/// Size of the table of earlier fields (RFC 7541): RFC 9113's default.
const TABLE: u32 = 4096;
/// Bytes of one response kept for a client that does not take them yet.
const SEND_BUFFER: usize = 256 * 1024;
/// Overhead in bytes that small pieces of bodies (below 256 bytes) may cause while they wait: that of a stream's window
/// full of 16-byte pieces. A client that streams such is not at fault when the upstream is slow.
const SMALL_PIECES: usize = 4 * 1024 * 1024;
/// Bytes for a request under way besides its head: its task, and the answer's buffers.
const REQUEST: usize = 12 * 1024;
/// Copies of a head: as received, as parsed, and as sent on.
const COPIES: usize = 3;
/// Bytes for a field besides its name and value.
const FIELD: usize = 64;
/// Checks of a busy connection during each of its time limits, at least one each [`LOOK`].
const LOOKS: u32 = 4;
const LOOK: Duration = Duration::from_secs(5);

fn bounded(client: &ClientSettings) -> Builder {
    let mut builder = Builder::new();
    builder
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(STREAM_WINDOW)
        .max_frame_size(FRAME)
        .header_table_size(TABLE)
        .max_concurrent_streams(client.streams)
        .max_header_list_size(u32::try_from(client.head_bytes).unwrap_or(u32::MAX))
        .max_concurrent_reset_streams(RESET_STREAMS)
        .reset_stream_duration(RESET_TIME)
        .max_pending_accept_reset_streams(RESET_STREAMS)
        .max_local_error_reset_streams(Some(FAULTY_STREAMS))
        .max_send_buffer_size(SEND_BUFFER)
        .data_frame_budget(SMALL_PIECES);
    builder
}

/// Answers a client until it goes, or is to go. `preface` is the length of its first bytes.
pub(crate) async fn serve(
    transport: Transport,
    (read, preface): (Buffer, usize),
    peer: Peer,
    share: Arc<Share>,
    context: Rc<Context>,
    slot: Rc<Slot>,
) {
    let (client, stall) = {
        let to = slot.to.borrow();
        (to.bounds.clone(), to.proxy.upstream.settings().timeouts.idle)
    };
    let (wire, under_way) = Wire::new(transport, read, preface, share.clone());
    let mut watch = Watch::new();
    let deadline = Deadline::new(Instant::now(), client.head_timeout, None);
    let shaking = bounded(&client).handshake::<_, Bytes>(wire);
    let Some(Ok(mut connection)) = watch.over(&deadline, pin!(shaking)).await else { return };
    let mut drain = pin!(context.drain.notified());
    // While clients are still accepted, a new one is served: told to go at once, it would come again and again.
    let mut is_draining = context.is_draining.get() && !context.is_leaving.get();
    if is_draining {
        connection.graceful_shutdown();
    }
    let open = Rc::new(Open::default());
    let mut windows = 0;
    let mut closing = pin!(context.close_idle.notified());
    let mut is_closing = false;
    let mut claim = Claim::new(share.clone());
    // The head under way, and the bytes taken of what waits to be sent.
    let (mut same_head, mut same_taken) = (Same::default(), Same::default());
    let (pace, mut slow) = (client.answer_pace, Stretch::default());
    let look = (client.head_timeout.min(stall) / LOOKS).min(LOOK);
    let mut idle_since = Instant::now();
    let mut idle = None;
    loop {
        // While streams are open, their own bounds hold.
        let deadline = Deadline::new(Instant::now(), if is_draining { client.head_timeout } else { client.idle }, None);
        let mut is_looking = false;
        let accepting = poll_fn(|cx| {
            if !is_draining && drain.as_mut().poll(cx).is_ready() {
                is_draining = true;
                connection.graceful_shutdown();
            }
            while !is_closing && closing.as_mut().poll(cx).is_ready() {
                // A client need not have seen the first GOAWAY, nor answer the PING that checks it.
                is_closing = open.streams.get() == 0 && !share.is_waiting();
                if is_closing {
                    connection.abrupt_shutdown(h2::Reason::NO_ERROR);
                } else {
                    closing.set(context.close_idle.notified());
                }
            }
            if open.streams.get() > 0 || share.is_waiting() {
                idle = None;
            } else if !is_closing {
                let idle = idle.get_or_insert_with(|| context.idle.enter(slot.index.get(), slot.client(&peer)));
                is_closing = idle.poll(cx).is_ready();
                if is_closing {
                    connection.abrupt_shutdown(h2::Reason::NO_ERROR);
                }
            }
            let accepted = connection.poll_accept(cx);
            if accepted.is_pending() {
                if claim.poll_ended(cx) {
                    return Poll::Ready(None);
                }
                if !is_looking && (under_way.get().is_some() || share.is_waiting()) {
                    is_looking = true;
                    deadline.renew(look);
                }
            }
            accepted
        });
        let accepted = watch.over(&deadline, pin!(accepting)).await;
        let now = Instant::now();
        // Clients that keep asking without reading are checked as well.
        let taken = share.is_waiting().then(|| share.moved());
        let too_slow = slow.until(pace, taken.is_some(), now, share.moved());
        if same_taken.since(taken, now) >= stall || too_slow.is_some_and(|at| at <= now) {
            share.stalled();
            return;
        }
        match accepted {
            Some(Some(Ok((head, mut send)))) => {
                idle_since = now;
                let Some(stream) = open.enter(&head, &share) else {
                    // Nothing was done for it, so it may be repeated (RFC 9113, section 8.7).
                    send.send_reset(h2::Reason::REFUSED_STREAM);
                    continue;
                };
                if open.windows.get() != windows {
                    windows = open.windows.get();
                    connection.set_target_window_size(STREAM_WINDOW.saturating_mul(windows.max(1)));
                }
                let (context, slot, share) = (context.clone(), slot.clone(), share.clone());
                let patience = client.head_timeout;
                tokio::task::spawn_local(async move {
                    if let Some(held) = admitted(&share, &mut send, patience).await {
                        // Boxed separately: while it waits for room, it takes none.
                        Box::pin(answer(head, send, peer, &share, &context, &slot)).await;
                        drop(held);
                    }
                    drop(stream);
                });
            }
            Some(_) => return,
            None => {
                if same_head.since(under_way.get(), now) >= client.head_timeout {
                    return;
                }
                if open.streams.get() > 0 || taken.is_some() {
                    idle_since = now;
                    continue;
                }
                let may = if is_draining { client.head_timeout } else { client.idle };
                if now.saturating_duration_since(idle_since) < may {
                    continue;
                }
                if is_draining {
                    return;
                }
                is_draining = true;
                idle_since = now;
                connection.graceful_shutdown();
            }
        }
    }
}

#[derive(Debug, Default)]
struct Open {
    streams: Cell<usize>,
    windows: Cell<u32>,
}

/// A stream, as long as it is open.
struct Stream {
    open: Rc<Open>,
    _head: Held,
    /// A window of its own for the body, if any.
    window: Option<Held>,
}

impl Open {
    /// `None` if there is no room for its head, or for the connection's window.
    fn enter(self: &Rc<Self>, head: &http::Request<h2::RecvStream>, share: &Arc<Share>) -> Option<Stream> {
        let fields =
            head.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + FIELD).sum::<usize>();
        let target = head.uri().path_and_query().map_or(0, |target| target.as_str().len());
        let head_held = share.try_hold_head((fields + target) * COPIES)?;
        let window = match (window_of(head), self.windows.get()) {
            (0, _) => None,
            // The connection always has one window, which this body may fill.
            (bytes, 0) => Some(share.try_hold(bytes)?),
            (bytes, _) => share.try_hold_aside(bytes),
        };
        self.streams.set(self.streams.get() + 1);
        if window.is_some() {
            self.windows.set(self.windows.get() + 1);
        }
        Some(Stream { open: self.clone(), _head: head_held, window })
    }
}

/// Bytes of a request's body that may wait to be taken.
fn window_of(head: &http::Request<h2::RecvStream>) -> usize {
    if head.body().is_end_stream() {
        return 0;
    }
    let length = head.headers().get(http::header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    length.unwrap_or(usize::MAX).min(STREAM_WINDOW as usize)
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.open.streams.set(self.open.streams.get() - 1);
        if self.window.is_some() {
            self.open.windows.set(self.open.windows.get() - 1);
        }
    }
}

/// Waits for room for a request; `None` if the client went, or it waited for too long and was refused.
async fn admitted(share: &Arc<Share>, send: &mut SendResponse<Bytes>, patience: Duration) -> Option<Held> {
    if let Some(held) = share.try_hold(REQUEST) {
        return Some(held);
    }
    let mut claim = Claim::new(share.clone());
    let waiting = poll_fn(|cx| {
        if send.poll_reset(cx).is_ready() {
            return Poll::Ready(None);
        }
        claim.poll_begin(cx, REQUEST).map(Some)
    });
    match tokio::time::timeout(patience, waiting).await {
        Ok(held) => held,
        Err(_) => {
            send.send_reset(h2::Reason::REFUSED_STREAM);
            None
        }
    }
}

async fn answer(
    head: http::Request<h2::RecvStream>,
    mut send: SendResponse<Bytes>,
    peer: Peer,
    share: &Arc<Share>,
    context: &Rc<Context>,
    slot: &Slot,
) {
    let began = Instant::now();
    let (proxy, limits) = {
        let to = slot.to.borrow();
        (to.proxy.clone(), head_limits(&to.bounds))
    };
    let (head, body) = head.into_parts();
    let mut buffers = context.buffers();
    let Buffers { request, response, request_id, up, key, variant, more, .. } = &mut *buffers;
    let mut watch = Watch::new();
    let mut client = Downstream::H2(H2Downstream { send: &mut send, client: Client::new(peer.address, share) });
    if let Err(fault) = request_from_h2(request, &head, body.is_end_stream(), &limits) {
        let refusal = Refusal { reason: Reason::Malformed(fault), version: Version::Http2, began };
        let deadline = Deadline::of_local_reply(began);
        refusal.send((&mut client, response), (&mut watch, &deadline), &peer, &proxy, (context, slot)).await;
    } else {
        let mut body = BodySource::H2(Box::new(H2Source::new(body)));
        let (responder, index) = slot.find(request, Version::Http2, &peer, &proxy);
        body.guard(responder.guard());
        let arrival = Arrival { index, version: Version::Http2, began, now: began, peer };
        let (watch, client, body) = (&mut watch, &mut client, &mut body);
        let mut to = ClientSide { watch, body, client, response, up, id: request_id, key, variant, more };
        let (end, _) = responder.respond(context, arrival, request, &mut to).await;
        if matches!(end, End::Broken(_)) {
            send.send_reset(h2::Reason::INTERNAL_ERROR);
        }
        // What the client still sends after its answer is refused when the stream is dropped, with NO_ERROR and after
        // the answer (RFC 9113, section 8.1). A reset sent here would replace what waits to be sent.
    }
    context.give_back(buffers);
}

/// A number, and since when it has been unchanged.
#[derive(Debug, Default)]
struct Same(Option<(u64, Instant)>);

impl Same {
    /// How long it has been this number; zero for none.
    fn since(&mut self, number: Option<u64>, now: Instant) -> Duration {
        let before = self.0.filter(|(before, _)| Some(*before) == number);
        self.0 = before.or_else(|| number.map(|number| (number, now)));
        self.0.map_or(Duration::ZERO, |(_, since)| now.saturating_duration_since(since))
    }
}

#[cfg(test)]
mod tests;
