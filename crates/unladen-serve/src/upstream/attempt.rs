//! One attempt at an [`Exchange`]: sends the request on one connection and passes its answer on, whatever the protocol.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use unladen_files::OpenFile;
use unladen_http1::{Fault, Fields, Length, Response};
use unladen_observability::{Cause, End, Reason, Version};
use unladen_pool::{Buffer, Connection, Endpoint, Half, Lease, Stream, TlsFault};

use super::answer::{Answer, Lost, Transit};
use super::tunnel::tunnel;
use super::{Attempt, Decision, Exchange, Facts, Failure, Reached, Work, decide};
use crate::message::compose::{Additions, request_to_h1, request_to_h2};
use crate::message::downstream::{Downstream, ResponseOptions};
use crate::message::stream::{
    BodySource, H1Sink, H2Sink, Piece, PumpError, Relay, Relayed, Sink, SinkError, SourceError,
};
use crate::request::phase::Phase;
use crate::request::watch::Stretch;

/// How long a head waits for its body to begin. Most do within a round trip to the upstream; and a head flushed on
/// purpose long before its body suffers no harm from a tenth of a second.
const HELD_BACK: Duration = Duration::from_millis(100);

impl<'u> Exchange<'_, 'u> {
    /// Sends the request once, on this connection.
    pub(crate) async fn attempt(&self, lease: Lease, work: &mut Work<'_, '_, 'u>) -> Result<Attempt, Failure> {
        if !matches!(lease, Lease::H1(_, unladen_pool::LeaseSource::Own) | Lease::H2(_, unladen_pool::LeaseSource::Own))
        {
            self.deadline.look();
        }
        self.state.connected.set(Some(self.since_began()));
        match lease {
            Lease::H1(connection, source) if self.proxy.script.is_some() => {
                self.state.reuse.set(source.into());
                self.over_fastcgi(connection, work).await
            }
            Lease::H1(connection, source) => {
                self.state.reuse.set(source.into());
                self.state.upstream_version.set(Some(Version::Http11));
                self.over_h1(connection, work).await
            }
            Lease::H2(stream, source) => {
                self.state.reuse.set(source.into());
                self.state.upstream_version.set(Some(Version::Http2));
                self.over_h2(stream, work).await
            }
        }
    }

    pub(super) fn additions<'b>(&'b self, endpoint: &Endpoint, work: &Work<'_, '_, 'u>) -> Additions<'b> {
        let (authority, tls) = self.proxy.upstream.origin(endpoint);
        Additions {
            waited: work.waited(),
            settings: &self.proxy.settings,
            authority,
            tls,
            client: work.client.address(),
            request_id: self.request_id,
            trace: self.trace,
            upgrade: work.upgrade,
        }
    }

    async fn over_h1(&self, mut connection: Connection, work: &mut Work<'_, '_, 'u>) -> Result<Attempt, Failure> {
        let endpoint = connection.endpoint.clone();
        let busy = endpoint.busy();
        let mut buffers = std::mem::take(work.buffers);
        buffers.clear();
        request_to_h1(&mut buffers, self.request, &self.additions(&endpoint, work));
        connection.requests += 1;
        let was_used = connection.requests > 1;
        let half = Half(&connection.transport);
        let sink = Sink::from(H1Sink::new(half, &mut buffers, work.waited().unwrap_or(self.request.length)));
        let limits = self.proxy.response_limits();
        let answer = Answer::h1(half, &mut connection.buffer, &self.request.method, limits);
        let answer = if self.endpoint.is_some() { answer.of_peer() } else { answer };
        let carried = self.carry(Transit::new(sink, answer), work, was_used, &endpoint).await;
        let fault = if was_used { None } else { connection.tls_fault() };
        let done = match self.unless_tls_failed(carried, fault, &endpoint) {
            Err(failure) => Err(failure),
            Ok(Carried::Whole(kept, rest)) => {
                if let Some(keep) = kept.filter(|_| connection.buffer.is_empty()) {
                    connection.keep = keep;
                    self.proxy.upstream.give_back(self.thread, connection, self.deadline.now());
                } else {
                    drop(connection);
                }
                drop(busy);
                self.delivered(rest).await
            }
            Ok(Carried::Upgraded) => {
                let idle = self.proxy.upstream.settings().timeouts.tunnel;
                self.state.phase.set(Phase::Tunnelling);
                // The tunnel has a bound of its own.
                self.deadline.lift();
                if let Some(client) = work.body.connection() {
                    tunnel(client, half_and_buffer(&mut connection), self.deadline, idle, self.state).await;
                }
                Ok(Attempt::Done(End::Upgraded))
            }
            Ok(Carried::Nothing(attempt)) => Ok(attempt),
        };
        *work.buffers = buffers;
        done
    }

    async fn over_h2(&self, mut stream: Stream, work: &mut Work<'_, '_, 'u>) -> Result<Attempt, Failure> {
        let endpoint = stream.endpoint().clone();
        let busy = endpoint.busy();
        let Ok(head) = request_to_h2(self.request, &self.additions(&endpoint, work)) else {
            return Err(Failure::Upstream(Reason::Malformed(Fault::Target), None));
        };
        let ends = matches!(work.waited().unwrap_or(self.request.length), Length::None | Length::Exact(0));
        let (future, send) = match stream.send(head, ends).await {
            Ok(sent) => sent,
            // Nothing of it has been sent.
            Err(_) => {
                let fault = stream.tls_fault();
                let was_used = stream.was_used();
                let reached = Reached::Connection { unprocessed: true, silent: true, ended: true, was_used };
                let reason = self.unless_tls(Reason::UpstreamClosed, fault, &endpoint);
                return Ok(Attempt::Lost(self.facts(work, reason, reached)));
            }
        };
        let sink = Sink::from(H2Sink::new(send, ends));
        let answer = Answer::h2(future, &self.request.method);
        let was_used = stream.was_used();
        let carried = self.carry(Transit::new(sink, answer), work, was_used, &endpoint).await;
        let fault = if was_used { None } else { stream.tls_fault() };
        match self.unless_tls_failed(carried, fault, &endpoint)? {
            Carried::Whole(_, rest) => {
                drop((stream, busy));
                self.delivered(rest).await
            }
            Carried::Upgraded => Ok(Attempt::Done(End::Answered)),
            Carried::Nothing(attempt) => Ok(attempt),
        }
    }

    /// Replaces the failure's reason by TLS's, if that has failed.
    fn unless_tls_failed<'w, 'c>(
        &self,
        carried: Result<Carried<'w, 'c, 'u>, Failure>,
        fault: Option<TlsFault>,
        endpoint: &Arc<Endpoint>,
    ) -> Result<Carried<'w, 'c, 'u>, Failure> {
        match carried {
            Err(Failure::Upstream(reason, after)) => {
                Err(Failure::Upstream(self.unless_tls(reason, fault, endpoint), after))
            }
            Ok(Carried::Nothing(Attempt::Lost(facts))) => {
                let reason = self.unless_tls(facts.reason, fault, endpoint);
                Ok(Carried::Nothing(Attempt::Lost(Facts { reason, ..facts })))
            }
            other => other,
        }
    }

    /// A TLS 1.3 server that refuses our certificate says so after the handshake: then TLS has failed, not the answer.
    fn unless_tls(&self, reason: Reason, fault: Option<TlsFault>, endpoint: &Arc<Endpoint>) -> Reason {
        let Some(fault) = fault.filter(|_| reason == Reason::UpstreamClosed) else { return reason };
        let error = self.proxy.upstream.tls_failed(endpoint, fault);
        *self.state.cause.borrow_mut() = Some(Box::new(Cause::of_tls(&error, endpoint)));
        Reason::TlsFailed
    }

    pub(super) async fn carry<'w, 'c>(
        &self,
        mut transit: Transit<'_>,
        work: &'w mut Work<'_, 'c, 'u>,
        was_used: bool,
        endpoint: &Arc<Endpoint>,
    ) -> Result<Carried<'w, 'c, 'u>, Failure> {
        self.state.phase.set(Phase::Sending);
        self.deadline.set(self.proxy.upstream.settings().timeouts.first_byte);
        loop {
            let headed = poll_fn(|cx| self.poll_head(cx, &mut transit, work)).await;
            self.state.bytes_in.set(work.upload.bytes);
            match headed {
                Ok(()) if work.response.status == 101 => {
                    self.switch(&transit, work, endpoint).await?;
                    return Ok(Carried::Upgraded);
                }
                Ok(()) if work.response.status < 200 => {
                    work.client.interim(work.response).await.map_err(|_| Failure::ClientGone)?;
                    // A peer's sign of being at work, which it will repeat.
                    if self.endpoint.is_some() {
                        self.deadline.renew(self.proxy.upstream.settings().timeouts.first_byte);
                    }
                }
                Ok(()) => break,
                Err(Lost::Client(failure)) => {
                    transit.sink.reset();
                    return Err(failure);
                }
                Err(Lost::Upstream { reason, unprocessed, silent, ended }) => {
                    let unprocessed = unprocessed || (transit.refused.is_some() && !transit.sink.has_sent());
                    let reached = Reached::Connection { unprocessed, silent, ended, was_used };
                    let facts = self.facts(work, reason, reached);
                    if !facts.is_race() {
                        self.proxy.upstream.report(endpoint, false);
                    }
                    return Ok(Carried::Nothing(Attempt::Lost(facts)));
                }
            }
        }
        if self.declines(work, endpoint) {
            return Ok(Carried::Nothing(Attempt::Declined));
        }
        work.retrying = None;
        let Transit { sink, answer, uploading, refused, .. } = transit;
        let named = if self.proxy.script.is_some() { self.named(work.response)? } else { None };
        self.pass_on(sink, answer, named, work, (uploading, refused.is_some())).await
    }

    async fn switch(
        &self,
        transit: &Transit<'_>,
        work: &mut Work<'_, '_, 'u>,
        endpoint: &Arc<Endpoint>,
    ) -> Result<(), Failure> {
        // The rest of an incomplete request would be taken for the other protocol's.
        if !work.upgrade || transit.uploading {
            return Err(Failure::Upstream(Reason::UpstreamMalformed, None));
        }
        self.deadline.look();
        self.state.first_byte.set(Some(self.since_began()));
        self.state.show();
        self.state.status.set(101);
        work.client.interim(work.response).await.map_err(|_| Failure::ClientGone)?;
        self.proxy.upstream.report(endpoint, true);
        Ok(())
    }

    /// Records an answer's head; whether the request is sent again for its status, with leave.
    fn declines(&self, work: &mut Work<'_, '_, 'u>, endpoint: &Arc<Endpoint>) -> bool {
        let upstream = &*self.proxy.upstream;
        self.deadline.look();
        let status = work.response.status;
        upstream.report(endpoint, !matches!(status, 502..=504));
        self.state.first_byte.set(Some(self.since_began()));
        self.state.show();
        upstream.settings().retry.statuses.contains(&status)
            && decide(&self.facts(work, Reason::UpstreamStatus, Reached::Answer)) == Decision::WithLeave
            && self.leave(work)
    }

    async fn pass_on<'w, 'c>(
        &self,
        mut sink: Sink<'_>,
        mut answer: Answer<'_>,
        named: Option<OpenFile>,
        work: &'w mut Work<'_, 'c, 'u>,
        (mut uploading, refused): (bool, bool),
    ) -> Result<Carried<'w, 'c, 'u>, Failure> {
        // Unread parts of the request would be taken for the next one.
        let is_early = uploading || refused;
        let keeps = !is_early && work.response.keeps_alive();
        let is_head = self.request.method == b"HEAD";
        if let Some(file) = named {
            return self.pass_named_on((sink, uploading), answer.into_rest(), file, work, is_early).await;
        }
        let of_head = answer.take_room();
        let has_none = is_head || matches!(work.response.length, Length::None | Length::Exact(0));
        let mut from = if has_none { answer.into_rest() } else { answer.into_source(work.response.length) };
        let Work { body, client, response, upload, received, .. } = work;
        let settings = self.proxy.upstream.settings();
        let limit = self.proxy.settings.client.body_bytes;
        if matches!(response.status, 502..=504)
            && let Some(in_flight) = &mut *self.state.in_flight.borrow_mut()
        {
            // Before the client can know, and ask again on another thread.
            in_flight.report(false, self.deadline.now());
        }
        self.state.phase.set(Phase::Answering);
        self.deadline.set(settings.timeouts.idle);
        if !has_none {
            let begun = match poll_fn(|cx| Poll::Ready(from.poll_fill(cx))).await {
                Poll::Ready(begun) => begun.map(drop),
                // The upstream may wait for more of the request, and a reader of events for the head.
                Poll::Pending if uploading || is_stream(response) || self.state.fastcgi.is_stream.get() => Ok(()),
                // Boxed: nearly all bodies begin with their head, and pay for no timer.
                Poll::Pending => Box::pin(self.held_back(&mut from)).await,
            };
            begun.map_err(|error| self.broken(&error))?;
        }
        let keep = keeps.then(|| keep_alive(response));
        self.state.status.set(response.status);
        let options = ResponseOptions { head: is_head, close: is_early, via: self.proxy.settings.via };
        let mut to = client.respond(response, options, self.deadline.now()).map_err(|()| Failure::ClientGone)?;
        drop(of_head);
        let mut slow = Stretch::default();
        let mut download = Relay::new(self.proxy.reads_ahead(), self.client);
        let mut is_uploads_turn = true;
        let done = poll_fn(|cx| {
            // By turns: one that never pauses would use up the task's budget.
            is_uploads_turn = !is_uploads_turn;
            if uploading && is_uploads_turn {
                uploading = upload.poll(cx, received.as_mut().unwrap_or(body), &mut sink, limit).is_pending();
            }
            let carried = download.poll(cx, &mut from, &mut to);
            if carried.is_pending() {
                if uploading && !is_uploads_turn {
                    uploading = upload.poll(cx, received.as_mut().unwrap_or(body), &mut sink, limit).is_pending();
                }
                if download.has_moved() | upload.has_moved() {
                    self.deadline.renew(settings.timeouts.idle);
                }
                let (held_up, now) = (download.is_held_up, self.deadline.now());
                self.deadline.until(slow.until(self.proxy.settings.client.answer_pace, held_up, now, download.bytes));
                self.state.phase.set(if held_up { Phase::Delivering } else { Phase::Answering });
                // Without output nothing would notice that the client has gone.
                if !uploading && (body.poll_gone(cx) || to.poll_gone(cx)) {
                    return Poll::Ready(Err(PumpError::Sink(SinkError::Gone)));
                }
            }
            carried
        })
        .await;
        self.deadline.look();
        self.state.bytes_in.set(upload.bytes);
        self.state.bytes_out.set(to.coded_bytes().unwrap_or(download.bytes));
        match done {
            Ok(Relayed::Whole) => Ok(Carried::Whole(keep, None)),
            Ok(Relayed::Here) => Ok(Carried::Whole(keep, Some(Rest::Waiting { download, to, body }))),
            Err(PumpError::Sink(_)) => Err(Failure::ClientGone),
            Err(PumpError::TooLarge) => Err(Failure::Upstream(Reason::BodyTooLarge, None)),
            Err(PumpError::Source(error)) => {
                if !to.has_sent() {
                    // The client knows nothing of the answer yet, and so can have an error reply.
                    self.state.status.set(0);
                }
                to.reset();
                Err(self.broken(&error))
            }
        }
    }

    /// Waits briefly for the body to begin. Until an answer is passed on, one that breaks off can be replaced by an
    /// error page or a stored response, for HTTP/1, HTTP/2 and fetches alike.
    async fn held_back(&self, from: &mut BodySource<'_>) -> Result<(), SourceError> {
        let begun = tokio::time::timeout(HELD_BACK, poll_fn(|cx| from.poll_fill(cx))).await;
        self.deadline.renew(self.proxy.upstream.settings().timeouts.idle);
        begun.map_or(Ok(()), |begun| begun.map(drop))
    }

    fn broken(&self, error: &SourceError) -> Failure {
        let reason = match error {
            SourceError::Malformed(_) => Reason::UpstreamMalformed,
            SourceError::FastCgi(fault) => {
                self.state.fastcgi.fault.set(Some(*fault));
                Reason::UpstreamMalformed
            }
            _ => Reason::UpstreamClosed,
        };
        Failure::Upstream(reason, None)
    }
}

#[allow(clippy::large_enum_variant, reason = "one at a time: in a box it would be memory asked for with each request")]
pub(super) enum Carried<'w, 'c, 'u> {
    /// The answer is here; whether and for how long the connection can be reused; and what the client has yet to take.
    Whole(Option<Option<Duration>>, Option<Rest<'w, 'c, 'u>>),
    /// The connection has changed its protocol.
    Upgraded,
    /// The client has been told nothing.
    Nothing(Attempt),
}

/// What a client has yet to take. `body`: of the finished request, to notice that the client has gone.
#[allow(clippy::large_enum_variant, reason = "as `Carried`, which it is within")]
pub(crate) enum Rest<'w, 'c, 'u> {
    Waiting {
        download: Relay<'u>,
        to: Sink<'w>,
        body: &'w mut BodySource<'c>,
    },
    /// A file named by the upstream: nothing is sent yet, not even the head.
    File {
        file: Arc<OwnedFd>,
        /// Parts of it to send; empty if there is no body.
        pieces: VecDeque<Piece>,
        client: &'w mut Downstream<'c>,
        response: &'w Response,
        options: ResponseOptions,
        body: &'w mut BodySource<'c>,
    },
}

/// Whether the client acts on the head alone, as the body may come at any time or never.
fn is_stream(response: &Response) -> bool {
    let begins =
        |value: &[u8], start: &[u8]| value.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    let is_streamed = |value| begins(value, b"text/event-stream") || begins(value, b"application/grpc");
    response.fields.find(b"content-type").is_some_and(is_streamed) || is_unbuffered(&response.fields)
}

/// How applications tell nginx so.
pub(super) fn is_unbuffered(fields: &Fields) -> bool {
    fields.find(b"x-accel-buffering").is_some_and(|value| value.eq_ignore_ascii_case(b"no"))
}

fn half_and_buffer(connection: &mut Connection) -> (Half<'_>, &mut Buffer) {
    (Half(&connection.transport), &mut connection.buffer)
}

/// The upstream's timeout less a second, so that it is not met on the way.
pub(super) fn keep_alive(response: &Response) -> Option<Duration> {
    Some(response.idle_timeout()?.saturating_sub(Duration::from_secs(1)).max(Duration::from_millis(500)))
}

#[cfg(test)]
mod tests;
