//! A client's HTTP/1 connection: one request after the other.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::{Duration, Instant};

use unladen_http1::Fault;
use unladen_observability::{End, Reason, Version};
use unladen_pool::{Buffer, Half, Transport};

use super::{Refusal, h2};
use crate::context::{Buffers, Context};
use crate::limits::budget::{Held, Share};
use crate::message::downstream::{Client, ClientSide, Downstream, H1Downstream};
use crate::message::stream::{BodySource, H1Source};
use crate::proxy::{Proxy, head_limits};
use crate::request::watch::{Deadline, Watch};
use crate::responder::Slot;
use crate::responder::admit::Arrival;
use crate::site::trust::Peer;

/// HTTP/2 connection preface (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Length in bytes from which a head's memory is held for its client …
const SHORT_HEAD: usize = 4 * 1024;
/// … for this many copies besides the read buffer: as it is sent on, and during conversion.
const COPIES: usize = 2;
/// How long the rest of an unread request is read and dropped, so that the answer is not lost: many clients send
/// everything before they look for one.
const LINGER_TIME: Duration = Duration::from_secs(5);
/// How long sending the answer to a malformed request may take.
const REFUSAL_TIME: Duration = Duration::from_secs(1);

enum NoHead {
    /// The client has closed, or was idle for too long.
    Over,
    Nothing,
    Faulty(Reason),
    Http2,
}

/// A connection and what it holds while idle: kept small, as there may be ten thousand.
struct H1Connection {
    transport: RefCell<Transport>,
    buffer: Buffer,
    watch: Watch,
    peer: Peer,
    share: Arc<Share>,
    block: Option<Held>,
    context: Rc<Context>,
    slot: Rc<Slot>,
    now: Instant,
}

enum Next {
    Request,
    /// The next one has not begun.
    Wait,
    Close,
    /// It is closed after the rest of what the client sends was read.
    Linger,
}

pub(crate) async fn serve(transport: Transport, peer: Peer, context: Rc<Context>, slot: Rc<Slot>) {
    let mut connection = H1Connection {
        transport: RefCell::new(transport),
        buffer: Buffer::default(),
        watch: Watch::new(),
        peer,
        share: context.budget.share(slot.client(&peer)),
        block: None,
        context,
        slot,
        now: Instant::now(),
    };
    let mut is_first = true;
    loop {
        if connection.buffer.is_empty() && !connection.is_awake().await {
            return;
        }
        let proxy = connection.slot.to.borrow().proxy.clone();
        let mut buffers = connection.context.buffers();
        let began = Instant::now();
        let waits_since = std::mem::replace(&mut connection.now, began);
        let next = match connection.head(&mut buffers, &proxy, is_first).await {
            Ok(length) => match connection.admit(length) {
                Some(held) => {
                    let next = connection.answer(&mut buffers, &proxy, began).await;
                    drop(held);
                    next
                }
                None => {
                    connection.refuse(&mut buffers, &proxy, Reason::TooManyRequests, began).await;
                    Next::Linger
                }
            },
            Err(NoHead::Nothing) => {
                connection.now = waits_since;
                Next::Wait
            }
            Err(NoHead::Over) => Next::Close,
            Err(NoHead::Faulty(reason)) => {
                connection.refuse(&mut buffers, &proxy, reason, began).await;
                Next::Linger
            }
            Err(NoHead::Http2) => {
                connection.context.give_back(buffers);
                let H1Connection { transport, buffer, share, context, slot, .. } = connection;
                return h2::serve(transport.into_inner(), (buffer, PREFACE.len()), peer, share, context, slot).await;
            }
        };
        connection.context.give_back(buffers);
        match next {
            Next::Request => is_first = false,
            Next::Wait => (),
            Next::Close => return,
            Next::Linger => return connection.linger().await,
        }
    }
}

impl H1Connection {
    /// Waits for a request's first byte, holding no memory meanwhile.
    async fn is_awake(&mut self) -> bool {
        let Self { transport, buffer, watch, peer, context, slot, now, block, .. } = self;
        buffer.release();
        *block = None;
        let deadline = Deadline::new(*now, slot.to.borrow().bounds.idle, None);
        let mut closing = pin!(context.close_idle.notified());
        let idle = context.idle.enter(slot.index.get(), slot.client(peer));
        let waiting = poll_fn(|cx| {
            let readable = transport.borrow_mut().poll_readable(cx);
            match readable {
                Poll::Ready(readable) => Poll::Ready(readable.is_ok()),
                // A client that has just asked is not idle.
                Poll::Pending if idle.poll(cx).is_ready() => Poll::Ready(transport.borrow_mut().has_come()),
                Poll::Pending => closing.as_mut().poll(cx).map(|()| false),
            }
        });
        watch.over(&deadline, pin!(waiting)).await.unwrap_or(false)
    }

    /// Holds the memory of a long head while its request is under way; `None` if there is no room. Shorter ones cost no
    /// more than the connection does anyway.
    fn admit(&self, length: usize) -> Option<Option<Held>> {
        if length <= SHORT_HEAD {
            return Some(None);
        }
        self.share.try_hold_head(length * COPIES).map(Some)
    }

    async fn head(&mut self, buffers: &mut Buffers, proxy: &Proxy, is_first: bool) -> Result<usize, NoHead> {
        let Self { transport, buffer, watch, now, share, block, slot, .. } = self;
        let (limits, patience) = {
            let bounds = &slot.to.borrow().bounds;
            (head_limits(bounds), bounds.head_timeout)
        };
        let deadline = Deadline::new(*now, patience, None);
        let mut is_empty = buffer.is_empty();
        let mut pieces = 0;
        loop {
            if !is_empty {
                // If HTTP/2 is switched off, the preface is parsed as an unsupported version.
                if is_first && proxy.settings.http2 && buffer.bytes().starts_with(&PREFACE[..4]) {
                    return Err(NoHead::Http2);
                }
                match buffers.request.parse(buffer.bytes(), &limits) {
                    Ok(Some(length)) => {
                        buffer.consume(length);
                        // A single piece was there at once.
                        if pieces > 1 {
                            *now = Instant::now();
                        }
                        return Ok(length);
                    }
                    Ok(None) if buffer.is_full() && block.is_none() => {
                        // Held before it is known whether the rest ever comes.
                        let size = (limits.bytes + 1).max(unladen_pool::SMALL);
                        *block = share.try_hold(size);
                        if block.is_none() {
                            return Err(NoHead::Faulty(Reason::TooManyRequests));
                        }
                        buffer.grow(size);
                    }
                    Ok(None) => (),
                    Err(fault) => return Err(NoHead::Faulty(Reason::Malformed(fault))),
                }
                if buffer.is_full() {
                    return Err(NoHead::Faulty(Reason::Malformed(Fault::HeadTooLong)));
                }
            }
            let half = Half(transport);
            // Readiness may be spurious, and is no beginning of a request. With TLS, a part of one may have come.
            if is_empty && !half.is_encrypted() {
                match poll_fn(|cx| Poll::Ready(half.poll_read(buffer, cx))).await {
                    Poll::Ready(Ok(count)) if count > 0 => {
                        (is_empty, pieces) = (false, pieces + 1);
                        continue;
                    }
                    Poll::Ready(_) => return Err(NoHead::Over),
                    Poll::Pending => return Err(NoHead::Nothing),
                }
            }
            match watch.over(&deadline, pin!(half.read(buffer))).await {
                Some(Ok(count)) if count > 0 => (is_empty, pieces) = (false, pieces + 1),
                None if !is_empty => return Err(NoHead::Faulty(Reason::ClientTimeout)),
                _ => return Err(NoHead::Over),
            }
        }
    }

    async fn answer(&mut self, buffers: &mut Buffers, proxy: &Proxy, began: Instant) -> Next {
        let Self { transport, buffer, watch, peer, share, context, slot, now, .. } = self;
        let Buffers { request, response, request_id, up, down, key, variant, more } = buffers;
        let mut keeps = request.keeps_alive() && !context.is_draining.get();
        let half = Half(transport);
        let mut body = BodySource::H1(H1Source::new(half, buffer, request.length));
        let mut client = Downstream::H1(H1Downstream {
            half,
            out: down,
            minor: request.minor,
            keep: &mut keeps,
            is_draining: &context.is_draining,
            client: Client::new(peer.address, share),
        });
        let version = if request.minor == 0 { Version::Http10 } else { Version::Http11 };
        let (responder, index) = slot.find(request, version, peer, proxy);
        body.guard(responder.guard());
        let arrival = Arrival { index, version, began, now: *now, peer: *peer };
        let (client, from) = (&mut client, &mut body);
        let mut to = ClientSide { watch, body: from, client, response, up, id: request_id, key, variant, more };
        let end;
        (end, *now) = responder.respond(context, arrival, request, &mut to).await;
        let is_read = body.is_done();
        if request.minor == 0 && matches!(end, End::Broken(_)) {
            // For answers delimited by the connection's end, a broken one must not look complete.
            transport.borrow_mut().abort();
        }
        match end {
            End::Answered | End::Local(_) if keeps && is_read => Next::Request,
            End::Answered | End::Local(_) if !is_read || !buffer.is_empty() => Next::Linger,
            _ => Next::Close,
        }
    }

    async fn refuse(&mut self, buffers: &mut Buffers, proxy: &Proxy, reason: Reason, began: Instant) {
        let Self { transport, watch, peer, share, context, slot, .. } = self;
        let mut keep = false;
        let half = Half(transport);
        let mut client = Downstream::H1(H1Downstream {
            half,
            out: &mut buffers.down,
            minor: 1,
            keep: &mut keep,
            is_draining: &context.is_draining,
            client: Client::new(None, share),
        });
        let refusal = Refusal { reason, version: Version::Http11, began };
        let deadline = Deadline::new(Instant::now(), REFUSAL_TIME, None);
        let client = (&mut client, &mut buffers.response);
        refusal.send(client, (watch, &deadline), peer, proxy, (context, slot)).await;
    }

    /// Shuts down writing and reads on for a while: closing with unread bytes resets the connection, which destroys the
    /// answer (RFC 9112, section 9.6).
    async fn linger(&mut self) {
        let Self { transport, buffer, watch, context, .. } = self;
        let deadline = Deadline::new(Instant::now(), LINGER_TIME, None);
        let half = Half(transport);
        let mut closing = pin!(context.close_idle.notified());
        let mut is_told = false;
        let dropping = poll_fn(|cx| {
            if !is_told {
                if ready!(half.poll_shutdown(cx)).is_err() {
                    return Poll::Ready(());
                }
                is_told = true;
            }
            loop {
                buffer.consume(buffer.bytes().len());
                match half.poll_read(buffer, cx) {
                    Poll::Ready(Ok(1..)) => (),
                    Poll::Ready(_) => return Poll::Ready(()),
                    // A stop does not wait for a client that leaves its connection open.
                    Poll::Pending => return closing.as_mut().poll(cx),
                }
            }
        });
        let _ = watch.over(&deadline, pin!(dropping)).await;
    }
}
