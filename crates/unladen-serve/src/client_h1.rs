//! A client's connection of HTTP/1: one request after the other.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, ready};
use std::time::{Duration, Instant};

use unladen_http1::Fault;
use unladen_pool::{Buffer, Half, Transport};

use crate::beside::Beside;
use crate::client::{Client, H1Client};
use crate::client_h2;
use crate::compose;
use crate::context::{Context, Scratch, Slot};
use crate::errand::Errand;
use crate::front::{Call, Desk, Peer};
use crate::record::{End, Reason, Record, Reuse, Version};
use crate::stream::{H1Source, Source};
use crate::watch::{Deadline, Watch};

/// How a client of HTTP/2 begins (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// A request that was not read to its end is read on for so long, and dropped, so that the answer to it is not lost: many clients
/// send all of it before they look for one.
const LINGER_TIME: Duration = Duration::from_secs(5);
/// For an answer to what is no request.
const REFUSAL_TIME: Duration = Duration::from_secs(1);

/// Why there is no next request.
enum NoHead {
    /// The client has closed, or was idle for long enough.
    Over,
    /// What it sent is none.
    Faulty(Reason),
    /// It speaks HTTP/2.
    Http2,
}

/// A connection, and what it holds while it waits: no more than this, and that times ten thousand.
struct Visitor {
    transport: RefCell<Transport>,
    buffer: Buffer,
    watch: Watch,
    peer: Peer,
    context: Rc<Context>,
    slot: Rc<Slot>,
    /// When the clock was looked at last.
    now: Instant,
}

/// What follows a request.
enum Next {
    /// Another one may.
    Request,
    /// Nothing, and the client is told so by the connection's end.
    Close,
    /// Nothing, and the rest of what it sends is read before.
    Linger,
}

/// Answers a client until it goes, or is to go.
pub(crate) async fn serve(transport: Transport, peer: Peer, context: Rc<Context>, slot: Rc<Slot>) {
    let mut visitor = Visitor {
        transport: RefCell::new(transport),
        buffer: Buffer::default(),
        watch: Watch::new(),
        peer,
        context,
        slot,
        now: Instant::now(),
    };
    let mut is_first = true;
    loop {
        if visitor.buffer.is_empty() && !visitor.is_awake().await {
            return;
        }
        let beside = visitor.slot.beside.borrow().clone();
        let mut scratch = visitor.context.scratch();
        let began = Instant::now();
        visitor.now = began;
        let next = match visitor.head(&mut scratch, &beside, is_first).await {
            Ok(()) => visitor.answer(&mut scratch, &beside, began).await,
            Err(NoHead::Over) => Next::Close,
            Err(NoHead::Faulty(reason)) => {
                visitor.refuse(&mut scratch, &beside, reason, began).await;
                Next::Linger
            }
            Err(NoHead::Http2) => {
                visitor.context.give_back(scratch);
                let Visitor { transport, buffer, context, slot, .. } = visitor;
                return client_h2::serve(transport.into_inner(), buffer, peer, context, slot).await;
            }
        };
        visitor.context.give_back(scratch);
        match next {
            Next::Request => is_first = false,
            Next::Close => return,
            Next::Linger => return visitor.linger().await,
        }
    }
}

// === impl Visitor ===

impl Visitor {
    /// Waits for a request's first byte, holding no memory for it.
    async fn is_awake(&mut self) -> bool {
        let Self { transport, buffer, watch, context, slot, now, .. } = self;
        buffer.release();
        let deadline = Deadline::new(*now, slot.beside.borrow().settings.client.idle, None);
        let mut closing = pin!(context.close_idle.notified());
        let waiting = poll_fn(|cx| match transport.borrow_mut().poll_readable(cx) {
            Poll::Ready(readable) => Poll::Ready(readable.is_ok()),
            Poll::Pending => closing.as_mut().poll(cx).map(|()| false),
        });
        watch.over(&deadline, pin!(waiting)).await.unwrap_or(false)
    }

    /// Reads a request's head.
    async fn head(&mut self, scratch: &mut Scratch, beside: &Beside, is_first: bool) -> Result<(), NoHead> {
        let Self { transport, buffer, watch, now, .. } = self;
        let limits = beside.request_limits();
        let deadline = Deadline::new(*now, beside.settings.client.head_timeout, None);
        let mut is_empty = buffer.is_empty();
        let mut pieces = 0;
        loop {
            if !is_empty {
                if is_first && buffer.bytes().starts_with(&PREFACE[..4]) {
                    return Err(NoHead::Http2);
                }
                match scratch.request.parse(buffer.bytes(), &limits) {
                    Ok(Some(length)) => {
                        buffer.consume(length);
                        // One piece was there at once.
                        if pieces > 1 {
                            *now = Instant::now();
                        }
                        return Ok(());
                    }
                    Ok(None) if buffer.is_full() => buffer.grow((limits.bytes + 1).max(unladen_pool::SMALL)),
                    Ok(None) => (),
                    Err(fault) => return Err(NoHead::Faulty(Reason::Malformed(fault))),
                }
                if buffer.is_full() {
                    return Err(NoHead::Faulty(Reason::Malformed(Fault::HeadTooLong)));
                }
            }
            match watch.over(&deadline, pin!(Half(transport).read(buffer))).await {
                Some(Ok(count)) if count > 0 => (is_empty, pieces) = (false, pieces + 1),
                None if !is_empty => return Err(NoHead::Faulty(Reason::ClientTimeout)),
                _ => return Err(NoHead::Over),
            }
        }
    }

    /// Answers a request whose head was read.
    async fn answer(&mut self, scratch: &mut Scratch, beside: &Beside, began: Instant) -> Next {
        let Self { transport, buffer, watch, peer, context, slot, now } = self;
        let Scratch { request, response, request_id, up, down, key, variant, more } = scratch;
        let mut keeps = request.keeps_alive() && !context.is_draining.get();
        let half = Half(transport);
        let mut body = Source::H1(H1Source::new(half, buffer, request.length));
        let mut client = Client::H1(H1Client {
            half,
            out: down,
            address: peer.address,
            minor: request.minor,
            keep: &mut keeps,
            is_draining: &context.is_draining,
            touch: None,
        });
        let version = if request.minor == 0 { Version::Http10 } else { Version::Http11 };
        let front = slot.front.borrow().clone();
        let index = slot.index.get();
        let end;
        if let Some(front) = &front {
            let call = Call { context, front, index, version, began, now: *now, peer: *peer };
            let (client, body) = (&mut client, &mut body);
            let mut desk = Desk { watch, body, client, response, up, id: request_id, key, variant, more };
            (end, *now) = match slot.redirects {
                true => call.redirect(request, &mut desk).await,
                false => call.run(request, &mut desk).await,
            };
        } else {
            let errand = Errand { context, beside, index, request, version, began, now: *now, cache: None };
            (end, *now) = errand.run(watch, &mut body, &mut client, response, up, request_id).await;
        }
        let is_read = body.is_done();
        if request.minor == 0 && matches!(end, End::Broken(_)) {
            // Where the connection's end is the answer's, the one that broke off must not look like it.
            transport.borrow_mut().abort();
        }
        match end {
            End::Answered | End::Local(_) if keeps && is_read => Next::Request,
            End::Answered | End::Local(_) if !is_read || !buffer.is_empty() => Next::Linger,
            _ => Next::Close,
        }
    }

    /// Answers what is no request.
    async fn refuse(&mut self, scratch: &mut Scratch, beside: &Beside, reason: Reason, began: Instant) {
        let Self { transport, watch, context, slot, .. } = self;
        let mut keep = false;
        let words = compose::local(&mut scratch.response, reason, None);
        let half = Half(transport);
        let mut client = Client::H1(H1Client {
            half,
            out: &mut scratch.down,
            address: None,
            minor: 1,
            keep: &mut keep,
            is_draining: &context.is_draining,
            touch: None,
        });
        let deadline = Deadline::new(Instant::now(), REFUSAL_TIME, None);
        let via = beside.settings.via;
        let answered = watch.over(&deadline, pin!(client.answer(&scratch.response, &words, false, via))).await;
        let record = Record {
            upstream: &beside.upstream.settings().name,
            endpoint: None,
            method: b"",
            target: b"",
            authority: b"",
            client_version: Version::Http11,
            upstream_version: None,
            status: reason.status(),
            end: if answered == Some(Ok(())) { End::Local(reason) } else { End::ClientGone },
            reuse: Reuse::None,
            attempts: 0,
            began,
            head: began.elapsed(),
            connected: None,
            first_byte: None,
            total: began.elapsed(),
            bytes_in: 0,
            bytes_out: words.len() as u64,
            request_id: b"",
            trace: None,
            cache: None,
        };
        context.seeing.begin(slot.index.get());
        context.seeing.observe(&record, slot.index.get());
        context.seeing.end(slot.index.get());
    }

    /// Says that nothing more comes, and reads on for a while: a connection that is closed with bytes unread is reset, and takes the
    /// answer with it (RFC 9112, section 9.6).
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
