//! The principal type is [`Answer`]: the upstream's answer, awaited.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use unladen_fastcgi::{Fault, Refusal, parse_head};
use unladen_http1::{HeadLimits, Length, Response};
use unladen_observability::Reason;
use unladen_pool::{Buffer, Half, LARGE, Waits};
use unladen_serve_config::is_said_by_us;

use super::{Exchange, Failure, Work};
use crate::limits::budget::{Claim, Held, Share};
use crate::message::response_from_h2;
use crate::message::stream::{
    BodySource, FastCgiSource, Guard, H1Source, H2Source, Output, PumpError, Sink, SinkError, SourceError,
};
use crate::request::FastCgiNotes;
use crate::request::phase::Phase;
use crate::request::watch::Stretch;

/// Most interim answers before one: real ones have a few at most, and unread ones would have to be kept.
const INTERIM: u32 = 64;
/// Bytes of a head, received and passed on, that the memory of a request includes.
const USUAL: usize = 4 * 1024;

pub(crate) struct Answer<'a> {
    from: Peer<'a>,
    method: &'a [u8],
    interim: u32,
    /// From another node: its `serve` fields are meant.
    is_of_peer: bool,
    room: Room,
    /// Whether the head has arrived and waits for room.
    headed: bool,
}

/// Memory for a head longer than usual, held in the client's share before it is read on, or passed on: thousands of
/// clients that do not read may ask for such at the same time.
#[derive(Default)]
pub(crate) struct Room {
    claim: Option<Claim>,
    held: Option<Held>,
    /// What the claim is for.
    bytes: usize,
}

enum Peer<'a> {
    H1 { half: Half<'a>, buffer: &'a mut Buffer, limits: HeadLimits, silent: bool },
    FastCgi { output: Output<'a>, limits: HeadLimits, notes: &'a FastCgiNotes, waits: Option<Waits> },
    H2 { future: h2::client::ResponseFuture, body: Option<h2::RecvStream> },
}

#[derive(Debug)]
pub(crate) enum Lost {
    Client(Failure),
    Upstream {
        reason: Reason,
        /// It says that it has processed nothing (HTTP/2 only).
        unprocessed: bool,
        /// It has sent nothing at all.
        silent: bool,
        /// The connection has ended, not this answer alone.
        ended: bool,
    },
}

impl<'a> Answer<'a> {
    pub(crate) fn h1(half: Half<'a>, buffer: &'a mut Buffer, method: &'a [u8], limits: HeadLimits) -> Self {
        Self::from(Peer::H1 { half, buffer, limits, silent: true }, method)
    }

    /// `waits`: for a connection that nobody may serve yet.
    pub(crate) fn fastcgi(
        output: Output<'a>,
        method: &'a [u8],
        limits: HeadLimits,
        notes: &'a FastCgiNotes,
        waits: Option<Waits>,
    ) -> Self {
        Self::from(Peer::FastCgi { output, limits, notes, waits }, method)
    }

    pub(crate) fn h2(future: h2::client::ResponseFuture, method: &'a [u8]) -> Self {
        Self::from(Peer::H2 { future, body: None }, method)
    }

    fn from(from: Peer<'a>, method: &'a [u8]) -> Self {
        Self { from, method, interim: 0, is_of_peer: false, room: Room::default(), headed: false }
    }

    /// From another node, which sends interim answers while it works.
    pub(crate) fn of_peer(self) -> Self {
        Self { is_of_peer: true, ..self }
    }

    /// The next head: an interim one (1xx), or the answer's. `share`: of the client that it is for.
    pub(crate) fn poll_head(
        &mut self,
        cx: &mut Context<'_>,
        response: &mut Response,
        share: Option<&Arc<Share>>,
    ) -> Poll<Result<(), Lost>> {
        ready!(self.room.poll_again(cx));
        if std::mem::take(&mut self.headed) {
            return Poll::Ready(Ok(()));
        }
        let head = ready!(self.from.poll_head(cx, response, self.method, (&mut self.room, share)));
        // Only we may send these fields; an upstream's are removed.
        if !self.is_of_peer && response.fields.iter().any(|field| is_said_by_us(field.name)) {
            response.fields.retain(|field| !is_said_by_us(field.name));
        }
        if head.is_ok() && response.status < 200 {
            self.interim += 1;
            if self.interim > INTERIM && !self.is_of_peer {
                return Poll::Ready(Err(lost(Reason::UpstreamMalformed, false)));
            }
        } else if head.is_ok() {
            let bytes = 2 * response.fields.iter().map(|field| field.name.len() + field.value.len()).sum::<usize>();
            if bytes > USUAL && self.room.poll(cx, share, bytes).is_pending() {
                self.headed = true;
                self.from.release();
                return Poll::Pending;
            }
        }
        Poll::Ready(head)
    }

    /// To be kept until its head is the client's to take.
    pub(crate) fn take_room(&mut self) -> Room {
        std::mem::take(&mut self.room)
    }

    /// What is left of an answer without body: for FastCGI, the end of the request.
    pub(crate) fn into_rest(self) -> BodySource<'a> {
        match self.from {
            Peer::FastCgi { output, .. } => BodySource::FastCgi(FastCgiSource::new(output, Length::None)),
            Peer::H1 { .. } | Peer::H2 { .. } => BodySource::Empty,
        }
    }

    pub(crate) fn into_source(self, length: Length) -> BodySource<'a> {
        let mut source = match self.from {
            Peer::H1 { half, buffer, .. } => BodySource::H1(H1Source::new(half, buffer, length)),
            Peer::FastCgi { output, .. } => BodySource::FastCgi(FastCgiSource::new(output, length)),
            Peer::H2 { body: Some(stream), .. } => BodySource::H2(Box::new(H2Source::new(stream))),
            Peer::H2 { body: None, .. } => BodySource::Empty,
        };
        source.guard(Guard::Upstream);
        source
    }
}

impl Room {
    fn poll(&mut self, cx: &Context<'_>, share: Option<&Arc<Share>>, bytes: usize) -> Poll<()> {
        if self.claim.is_none() {
            self.claim = share.map(|share| Claim::new(share.clone()));
            self.bytes = bytes;
        }
        self.poll_again(cx)
    }

    /// Waits on, if it is for anything.
    fn poll_again(&mut self, cx: &Context<'_>) -> Poll<()> {
        if let (None, Some(claim)) = (&self.held, &mut self.claim) {
            self.held = Some(ready!(claim.poll_answer(cx, self.bytes)));
        }
        Poll::Ready(())
    }
}

impl Peer<'_> {
    /// Gives back memory that nothing is in.
    fn release(&mut self) {
        match self {
            Self::H1 { buffer, .. } => buffer.release(),
            Self::FastCgi { output, .. } => output.buffer.release(),
            Self::H2 { .. } => (),
        }
    }

    fn poll_head(
        &mut self,
        cx: &mut Context<'_>,
        response: &mut Response,
        method: &[u8],
        (room, share): (&mut Room, Option<&Arc<Share>>),
    ) -> Poll<Result<(), Lost>> {
        match self {
            Self::H1 { half, buffer, limits, silent } => loop {
                let parsed = if buffer.is_empty() { Ok(None) } else { response.parse(buffer.bytes(), method, limits) };
                match parsed {
                    Ok(Some(length)) => {
                        buffer.consume(length);
                        return Poll::Ready(Ok(()));
                    }
                    Ok(None) if buffer.is_full() => {
                        ready!(room.poll(cx, share, LARGE));
                        buffer.grow(limits.bytes + 1);
                    }
                    Ok(None) => (),
                    Err(_) => return Poll::Ready(Err(lost(Reason::UpstreamMalformed, false))),
                }
                match ready!(half.poll_read(buffer, cx)) {
                    Ok(count) if count > 0 => *silent = false,
                    _ => return Poll::Ready(Err(lost(Reason::UpstreamClosed, *silent))),
                }
            },
            Self::FastCgi { output, limits, notes, waits } => loop {
                if let Some(refusal) = output.decoder.refusal() {
                    return Poll::Ready(Err(refused(refusal, notes)));
                }
                if output.ready > 0 || output.has_ended() {
                    match parse_head(response, output.data(), Some(method), output.has_ended(), limits) {
                        Ok(Some(length)) => {
                            output.consume(length);
                            *waits = None;
                            return Poll::Ready(Ok(()));
                        }
                        Ok(None) if output.buffer.is_full() => {
                            ready!(room.poll(cx, share, LARGE));
                            output.buffer.grow(limits.bytes + 1);
                        }
                        Ok(None) => (),
                        Err(fault) => return Poll::Ready(Err(malformed(fault, notes))),
                    }
                }
                match ready!(output.poll_read(cx)) {
                    Ok(true) => (),
                    Err(SourceError::FastCgi(fault)) => return Poll::Ready(Err(malformed(fault, notes))),
                    _ => return Poll::Ready(Err(lost(Reason::UpstreamClosed, output.is_silent))),
                }
            },
            Self::H2 { future, body } => {
                // Interim answers come first; if none is there, both are waited for.
                let (status, headers, ends) = if let Poll::Ready(Some(Ok(interim))) = future.poll_informational(cx) {
                    let (head, ()) = interim.into_parts();
                    (head.status, head.headers, true)
                } else {
                    match ready!(Pin::new(future).poll(cx)) {
                        Ok(answer) => {
                            let (head, stream) = answer.into_parts();
                            let ends = stream.is_end_stream();
                            *body = Some(stream);
                            (head.status, head.headers, ends)
                        }
                        Err(error) => return Poll::Ready(Err(lost_h2(&error))),
                    }
                };
                let taken = response_from_h2(response, status, &headers, method, ends);
                Poll::Ready(taken.map_err(|_| lost(Reason::UpstreamMalformed, false)))
            }
        }
    }
}

/// Nothing of the request was processed (FastCGI 1.0, section 5.5).
fn refused(refusal: Refusal, notes: &FastCgiNotes) -> Lost {
    notes.refusal.set(Some(refusal));
    let reason = if refusal == Refusal::Role { Reason::UpstreamMalformed } else { Reason::BacklogFull };
    Lost::Upstream { reason, unprocessed: true, silent: false, ended: true }
}

fn malformed(fault: Fault, notes: &FastCgiNotes) -> Lost {
    notes.fault.set(Some(fault));
    lost(Reason::UpstreamMalformed, false)
}

fn lost(reason: Reason, silent: bool) -> Lost {
    Lost::Upstream { reason, unprocessed: false, silent, ended: reason == Reason::UpstreamClosed }
}

fn lost_h2(error: &h2::Error) -> Lost {
    // GOAWAY covers streams not looked at, REFUSED_STREAM this one (RFC 9113, sections 6.8 and 8.7).
    let unprocessed = error.reason() == Some(h2::Reason::REFUSED_STREAM)
        || (error.is_go_away() && error.is_remote() && error.reason() == Some(h2::Reason::NO_ERROR));
    let is_malformed = error
        .reason()
        .is_some_and(|reason| !error.is_remote() && reason != h2::Reason::NO_ERROR && reason != h2::Reason::CANCEL);
    let reason = if is_malformed { Reason::UpstreamMalformed } else { Reason::UpstreamClosed };
    Lost::Upstream { reason, unprocessed, silent: true, ended: error.is_io() || error.is_go_away() }
}

/// A request and its answer on one connection, until the answer's head is there.
pub(crate) struct Transit<'a> {
    pub(crate) sink: Sink<'a>,
    pub(crate) answer: Answer<'a>,
    pub(crate) uploading: bool,
    /// Why the upstream takes no more of it.
    pub(crate) refused: Option<SinkError>,
    slow: Stretch,
}

impl<'a> Transit<'a> {
    pub(crate) fn new(sink: Sink<'a>, answer: Answer<'a>) -> Self {
        Self { sink, answer, uploading: true, refused: None, slow: Stretch::default() }
    }
}

impl Exchange<'_, '_> {
    /// Sends what it can until a head is there: an interim one, or the answer's.
    pub(crate) fn poll_head(
        &self,
        cx: &mut Context<'_>,
        transit: &mut Transit<'_>,
        work: &mut Work<'_, '_, '_>,
    ) -> Poll<Result<(), Lost>> {
        // Once the request has begun, its answer takes precedence over a client that is slow or breaks off, and over an
        // upload that never pauses, which would use up the task's budget time after time.
        let is_asked = transit.sink.has_sent();
        if is_asked && let Poll::Ready(headed) = transit.answer.poll_head(cx, work.response, work.client.share()) {
            self.end_without_body(cx, transit, work);
            return Poll::Ready(headed);
        }
        if transit.uploading
            && let Err(failure) = self.upload(cx, transit, work)
        {
            return Poll::Ready(Err(Lost::Client(failure)));
        }
        if !is_asked && let Poll::Ready(headed) = transit.answer.poll_head(cx, work.response, work.client.share()) {
            return Poll::Ready(headed);
        }
        if !transit.uploading && work.client.poll_gone(cx, work.body) {
            return Poll::Ready(Err(Lost::Client(Failure::ClientGone)));
        }
        Poll::Pending
    }

    /// Ends a request without body, which is complete: it is not answered early, and its connections stay.
    fn end_without_body(&self, cx: &mut Context<'_>, transit: &mut Transit<'_>, work: &mut Work<'_, '_, '_>) {
        let limit = self.proxy.settings.client.body_bytes;
        if transit.uploading
            && matches!(self.request.length, Length::None | Length::Exact(0))
            && let Poll::Ready(done) = work.upload.poll(cx, work.body, &mut transit.sink, limit)
        {
            transit.uploading = false;
            if let Err(PumpError::Sink(error)) = done {
                transit.refused = Some(error);
            }
        }
    }

    /// Sends what there is, and sets the deadline for more.
    fn upload(
        &self,
        cx: &mut Context<'_>,
        transit: &mut Transit<'_>,
        work: &mut Work<'_, '_, '_>,
    ) -> Result<(), Failure> {
        let timeouts = &self.proxy.upstream.settings().timeouts;
        let limit = self.proxy.settings.client.body_bytes;
        let Work { upload, received, body, .. } = work;
        let Poll::Ready(done) = upload.poll(cx, received.as_mut().unwrap_or(body), &mut transit.sink, limit) else {
            if upload.has_moved() {
                self.deadline.renew(timeouts.idle);
            }
            let held_up = upload.is_held_up;
            let (now, bytes) = (self.deadline.now(), upload.bytes);
            let pace = self.proxy.settings.client.body_pace;
            self.deadline.until(transit.slow.until(pace, !held_up, now, bytes));
            self.state.phase.set(if held_up { Phase::Waiting } else { Phase::Sending });
            return Ok(());
        };
        transit.uploading = false;
        self.state.phase.set(Phase::Waiting);
        if upload.has_moved() {
            self.deadline.look();
        }
        self.deadline.set(timeouts.first_byte);
        match done {
            Ok(()) => Ok(()),
            // It may have answered before it stopped reading.
            Err(PumpError::Sink(error)) => {
                transit.refused = Some(error);
                Ok(())
            }
            Err(PumpError::TooLarge) => Err(Failure::Upstream(Reason::BodyTooLarge, None)),
            Err(PumpError::Source(error)) => Err(Failure::of_client(&error)),
        }
    }
}
