//! A client's connection of HTTP/1: one request after the other.

use std::cell::RefCell;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use unladen_http1::Fault;
use unladen_pool::{Buffer, Half, Transport};

use crate::beside::Beside;
use crate::client::{Client, H1Client};
use crate::client_h2;
use crate::compose;
use crate::context::{Context, Scratch, Slot};
use crate::errand::Errand;
use crate::record::{End, Reason, Record, Reuse, Version};
use crate::stream::{H1Source, Source};
use crate::watch::{Deadline, Watch};

/// How a client of HTTP/2 begins (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Of a request that was not read to its end, so much is read and dropped, so that the answer to it is not lost …
const LINGER_BYTES: usize = 256 * 1024;
/// … for so long.
const LINGER_TIME: Duration = Duration::from_secs(1);

/// Why there is no next request.
enum NoHead {
    /// The client has closed, or was idle for long enough.
    Over,
    /// What it sent is none.
    Faulty(Reason),
    /// It speaks HTTP/2.
    Http2,
}

/// Answers a client until it goes, or is to go.
pub(crate) async fn serve(transport: Transport, address: Option<IpAddr>, context: Rc<Context>, slot: Rc<Slot>) {
    let transport = RefCell::new(transport);
    let mut buffer = Buffer::default();
    let mut watch = Watch::new();
    let mut is_first = true;
    loop {
        let idle = slot.beside.borrow().settings.client.idle;
        if buffer.is_empty() && !is_awake(&transport, &mut buffer, &mut watch, idle, &context).await {
            return;
        }
        let beside = slot.beside.borrow().clone();
        let mut scratch = context.scratch();
        let began = Instant::now();
        match head(Half(&transport), &mut buffer, &mut watch, &mut scratch, &beside, is_first).await {
            Ok(()) => (),
            Err(NoHead::Over) => return context.give_back(scratch),
            Err(NoHead::Http2) => {
                context.give_back(scratch);
                return client_h2::serve(transport.into_inner(), buffer, address, context, slot).await;
            }
            Err(NoHead::Faulty(reason)) => {
                refuse(&transport, &mut watch, &mut scratch, reason, &context, &slot, began).await;
                context.give_back(scratch);
                return linger(&transport, &mut buffer, &mut watch).await;
            }
        }
        is_first = false;
        let (keeps, is_read) =
            answer(&transport, &mut buffer, &mut watch, &mut scratch, &beside, address, &context, &slot, began).await;
        context.give_back(scratch);
        if !keeps {
            if !is_read || !buffer.is_empty() {
                linger(&transport, &mut buffer, &mut watch).await;
            }
            return;
        }
    }
}

/// Waits for a request's first byte, holding no memory for it.
async fn is_awake(
    transport: &RefCell<Transport>,
    buffer: &mut Buffer,
    watch: &mut Watch,
    idle: Duration,
    context: &Context,
) -> bool {
    buffer.release();
    let deadline = Deadline::new(Instant::now(), idle, None);
    let mut closing = pin!(context.close_idle.notified());
    let waiting = poll_fn(|cx| match transport.borrow_mut().poll_readable(cx) {
        Poll::Ready(readable) => Poll::Ready(readable.is_ok()),
        Poll::Pending => closing.as_mut().poll(cx).map(|()| false),
    });
    watch.over(&deadline, pin!(waiting)).await.unwrap_or(false)
}

async fn head(
    half: Half<'_>,
    buffer: &mut Buffer,
    watch: &mut Watch,
    scratch: &mut Scratch,
    beside: &Beside,
    is_first: bool,
) -> Result<(), NoHead> {
    let limits = beside.request_limits();
    let deadline = Deadline::new(Instant::now(), beside.settings.client.head_timeout, None);
    let mut is_empty = buffer.is_empty();
    loop {
        if !is_empty {
            if is_first && buffer.bytes().starts_with(&PREFACE[..4]) {
                return Err(NoHead::Http2);
            }
            match scratch.request.parse(buffer.bytes(), &limits) {
                Ok(Some(length)) => {
                    buffer.consume(length);
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
        match watch.over(&deadline, pin!(half.read(buffer))).await {
            Some(Ok(count)) if count > 0 => is_empty = false,
            None if !is_empty => return Err(NoHead::Faulty(Reason::ClientTimeout)),
            _ => return Err(NoHead::Over),
        }
    }
}

/// Whether the connection is kept, and whether the request was read to its end.
#[allow(clippy::too_many_arguments, reason = "what one request borrows of its connection")]
async fn answer(
    transport: &RefCell<Transport>,
    buffer: &mut Buffer,
    watch: &mut Watch,
    scratch: &mut Scratch,
    beside: &Arc<Beside>,
    address: Option<IpAddr>,
    context: &Rc<Context>,
    slot: &Rc<Slot>,
    began: Instant,
) -> (bool, bool) {
    let Scratch { request, response, request_id, up, down } = scratch;
    let mut keeps = request.keeps_alive() && !context.is_draining.get();
    let half = Half(transport);
    let mut body = Source::H1(H1Source::new(half, buffer, request.length));
    let mut client = Client::H1(H1Client {
        half,
        out: down,
        address,
        minor: request.minor,
        keep: &mut keeps,
        is_draining: &context.is_draining,
    });
    let version = if request.minor == 0 { Version::Http10 } else { Version::Http11 };
    let errand = Errand { context, beside, index: slot.index.get(), request, version, address, began };
    let end = errand.run(watch, &mut body, &mut client, response, up, request_id).await;
    let is_read = body.is_done();
    let is_whole = matches!(end, End::Answered | End::Local(_));
    (keeps && is_whole && is_read, is_read || !is_whole)
}

/// Answers what is no request.
async fn refuse(
    transport: &RefCell<Transport>,
    watch: &mut Watch,
    scratch: &mut Scratch,
    reason: Reason,
    context: &Context,
    slot: &Slot,
    began: Instant,
) {
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
    });
    let beside = slot.beside.borrow().clone();
    let deadline = Deadline::new(Instant::now(), LINGER_TIME, None);
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
    };
    context.seeing.begin(slot.index.get());
    context.seeing.observe(&record, slot.index.get());
    context.seeing.end(slot.index.get());
}

/// Says that nothing more comes, and reads on for a while: a connection that is closed with bytes unread is reset, and takes the
/// answer with it (RFC 9112, section 9.6).
async fn linger(transport: &RefCell<Transport>, buffer: &mut Buffer, watch: &mut Watch) {
    let deadline = Deadline::new(Instant::now(), LINGER_TIME, None);
    let half = Half(transport);
    let dropping = async {
        if poll_fn(|cx| half.poll_shutdown(cx)).await.is_err() {
            return;
        }
        let mut dropped = 0;
        while dropped < LINGER_BYTES {
            buffer.consume(buffer.bytes().len());
            match half.read(buffer).await {
                Ok(count) if count > 0 => dropped += count,
                _ => return,
            }
        }
    };
    let _ = watch.over(&deadline, pin!(dropping)).await;
}
