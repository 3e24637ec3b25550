//! One attempt at an [`Exchange`]: the request sent on one connection, and its answer passed on, whichever HTTP is spoken.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use unladen_http1::{Fault, Length, Name, Response};
use unladen_pool::{Buffer, Connection, Endpoint, Half, Lease, Stream};

use crate::answer::{Answer, Lost};
use crate::compose::{Additions, request_to_h1, request_to_h2};
use crate::exchange::{Attempt, Exchange, Failure, Work};
use crate::phase::Phase;
use crate::record::{End, Reason, Version};
use crate::stream::{H1Sink, H2Sink, Pump, PumpError, Sink, SinkError, Source, SourceError};
use crate::tunnel::tunnel;

impl<'u> Exchange<'_, 'u> {
    /// Sends the request once, on a connection that is there.
    pub(crate) async fn attempt(&self, lease: Lease, work: &mut Work<'_, '_, 'u>) -> Result<Attempt, Failure> {
        if !matches!(lease, Lease::H1(_, unladen_pool::Source::Own) | Lease::H2(_, unladen_pool::Source::Own)) {
            self.deadline.look();
        }
        self.told.connected.set(Some(self.since_began()));
        match lease {
            Lease::H1(connection, source) => {
                self.told.reuse.set(source.into());
                self.told.upstream_version.set(Some(Version::Http11));
                self.over_h1(connection, work).await
            }
            Lease::H2(stream, source) => {
                self.told.reuse.set(source.into());
                self.told.upstream_version.set(Some(Version::Http2));
                self.over_h2(stream, work).await
            }
        }
    }

    fn additions<'b>(&'b self, endpoint: &Endpoint, work: &Work<'_, '_, 'u>) -> Additions<'b> {
        let (authority, tls) = self.beside.upstream.origin(endpoint);
        Additions {
            settings: &self.beside.settings,
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
        let _busy = endpoint.busy();
        let mut scratch = std::mem::take(work.scratch);
        scratch.clear();
        request_to_h1(&mut scratch, self.request, &self.additions(&endpoint, work));
        connection.requests += 1;
        let was_used = connection.requests > 1;
        let half = Half(&connection.transport);
        let sink = Sink::H1(H1Sink::new(half, &mut scratch, self.request.length));
        let limits = self.beside.response_limits();
        let answer = Answer::h1(half, &mut connection.buffer, &self.request.method, limits);
        let carried = self.carry(sink, answer, work, was_used, &endpoint).await;
        *work.scratch = scratch;
        let carried = carried?;
        match carried {
            Carried::Whole => {
                if work.response.keeps_alive() && connection.buffer.is_empty() {
                    connection.keep = keep_alive(work.response);
                    self.beside.upstream.give_back(self.thread, connection, self.deadline.now());
                }
                Ok(Attempt::Done(End::Answered))
            }
            Carried::Spent => Ok(Attempt::Done(End::Answered)),
            Carried::Upgraded => {
                let idle = self.beside.upstream.settings().timeouts.tunnel;
                self.told.phase.set(Phase::Tunnelling);
                if let Some(client) = work.body.connection() {
                    tunnel(client, half_and_buffer(&mut connection), self.deadline, idle, self.told).await;
                }
                Ok(Attempt::Done(End::Upgraded))
            }
            Carried::Nothing(attempt) => Ok(attempt),
        }
    }

    async fn over_h2(&self, mut stream: Stream, work: &mut Work<'_, '_, 'u>) -> Result<Attempt, Failure> {
        let endpoint = stream.endpoint().clone();
        let _busy = endpoint.busy();
        let Ok(head) = request_to_h2(self.request, &self.additions(&endpoint, work)) else {
            return Err(Failure::Upstream(Reason::Malformed(Fault::Target), None));
        };
        let ends = self.request.length == Length::None || matches!(self.request.length, Length::Exact(0));
        let (future, send) = match stream.send(head, ends).await {
            Ok(sent) => sent,
            // Nothing of it has been sent.
            Err(_) => return Ok(Attempt::Race),
        };
        let sink = Sink::H2(H2Sink::new(send, ends));
        let answer = Answer::h2(future, &self.request.method);
        let was_used = stream.was_used();
        let carried = self.carry(sink, answer, work, was_used, &endpoint).await?;
        match carried {
            Carried::Whole | Carried::Spent | Carried::Upgraded => Ok(Attempt::Done(End::Answered)),
            Carried::Nothing(attempt) => Ok(attempt),
        }
    }

    /// Sends the request, waits for the answer, and passes it on; whichever HTTP is spoken.
    async fn carry(
        &self,
        mut sink: Sink<'_>,
        mut answer: Answer<'_>,
        work: &mut Work<'_, '_, 'u>,
        was_used: bool,
        endpoint: &Arc<Endpoint>,
    ) -> Result<Carried, Failure> {
        let upstream = &*self.beside.upstream;
        let settings = upstream.settings();
        let limit = self.beside.settings.client.body_bytes;
        self.told.phase.set(Phase::Sending);
        self.deadline.set(settings.timeouts.first_byte);
        let mut uploading = true;
        let mut refused = None;
        loop {
            let headed = poll_fn(|cx| {
                if uploading {
                    match work.upload.poll(cx, work.body, &mut sink, limit) {
                        Poll::Ready(done) => {
                            uploading = false;
                            self.told.phase.set(Phase::Waiting);
                            if work.upload.has_moved() {
                                self.deadline.look();
                            }
                            self.deadline.set(settings.timeouts.first_byte);
                            match done {
                                Ok(()) => (),
                                // It may have answered before it stopped to listen.
                                Err(PumpError::Sink(error)) => refused = Some(error),
                                Err(PumpError::TooLarge) => {
                                    let failure = Failure::Upstream(Reason::BodyTooLarge, None);
                                    return Poll::Ready(Err(Lost::Client(failure)));
                                }
                                Err(PumpError::Source(error)) => {
                                    return Poll::Ready(Err(Lost::Client(client_failure(&error))));
                                }
                            }
                        }
                        Poll::Pending => {
                            if work.upload.has_moved() {
                                self.deadline.renew(settings.timeouts.idle);
                            }
                            let held_up = work.upload.is_held_up;
                            self.told.phase.set(if held_up { Phase::Waiting } else { Phase::Sending });
                        }
                    }
                }
                if let Poll::Ready(headed) = answer.poll_head(cx, work.response) {
                    return Poll::Ready(headed);
                }
                if !uploading && work.client.poll_gone(cx, work.body) {
                    return Poll::Ready(Err(Lost::Client(Failure::ClientGone)));
                }
                Poll::Pending
            })
            .await;
            self.told.bytes_in.set(work.upload.bytes);
            match headed {
                // Before all of the request was there, the rest of it would be taken for the other protocol's.
                Ok(()) if work.response.status == 101 && work.upgrade && !uploading => {
                    self.deadline.look();
                    self.told.first_byte.set(Some(self.since_began()));
                    self.told.status.set(101);
                    work.client.interim(work.response).await.map_err(|_| Failure::ClientGone)?;
                    upstream.report(endpoint, true);
                    return Ok(Carried::Upgraded);
                }
                Ok(()) if work.response.status == 101 => {
                    return Err(Failure::Upstream(Reason::UpstreamMalformed, None));
                }
                Ok(()) if work.response.status < 200 => {
                    work.client.interim(work.response).await.map_err(|_| Failure::ClientGone)?;
                }
                Ok(()) => break,
                Err(Lost::Client(failure)) => {
                    sink.reset();
                    return Err(failure);
                }
                Err(Lost::Upstream { reason, unprocessed, silent, ended }) => {
                    let untouched = unprocessed || (refused.is_some() && !sink.has_sent());
                    // Nothing of an answer came on a connection that had been idle: it was being closed.
                    if (untouched || (was_used && ended && silent && self.request.is_idempotent()))
                        && reason == Reason::UpstreamClosed
                    {
                        return Ok(Carried::Nothing(Attempt::Race));
                    }
                    upstream.report(endpoint, false);
                    if self.request.is_idempotent() && silent {
                        return Ok(Carried::Nothing(Attempt::Again(reason, false)));
                    }
                    return Err(Failure::Upstream(reason, None));
                }
            }
        }
        self.deadline.look();
        let status = work.response.status;
        upstream.report(endpoint, !matches!(status, 502..=504));
        self.told.first_byte.set(Some(self.since_began()));
        if settings.retry.statuses.contains(&status)
            && self.request.is_idempotent()
            && self.leave(work, Reason::UpstreamStatus)
        {
            return Ok(Carried::Nothing(Attempt::Again(Reason::UpstreamStatus, true)));
        }
        work.retrying = None;
        self.pass_on(sink, answer, work, uploading, refused.is_some()).await
    }

    /// Passes an answer on whose head is there.
    async fn pass_on(
        &self,
        mut sink: Sink<'_>,
        answer: Answer<'_>,
        work: &mut Work<'_, '_, 'u>,
        mut uploading: bool,
        refused: bool,
    ) -> Result<Carried, Failure> {
        let Work { body, client, response, upload, .. } = work;
        let settings = self.beside.upstream.settings();
        let limit = self.beside.settings.client.body_bytes;
        // What it has not read of the request would be taken for the next one.
        let is_early = uploading || refused;
        if matches!(response.status, 502..=504)
            && let Some(in_flight) = &mut *self.told.in_flight.borrow_mut()
        {
            // Before the client can know, and ask again on another thread.
            in_flight.report(false, self.deadline.now());
        }
        self.told.phase.set(Phase::Answering);
        self.deadline.set(settings.timeouts.idle);
        let is_head = self.request.method == b"HEAD";
        let has_body = !is_head && !matches!(response.length, Length::None | Length::Exact(0));
        let mut from = if has_body { answer.into_source(response.length) } else { Source::Empty };
        self.told.status.set(response.status);
        let mut to = client
            .respond(response, is_head, is_early, self.beside.settings.via, self.deadline.now())
            .map_err(|()| Failure::ClientGone)?;
        let mut download = Pump::default();
        let done = poll_fn(|cx| {
            if uploading {
                match upload.poll(cx, body, &mut sink, limit) {
                    Poll::Ready(_) => uploading = false,
                    Poll::Pending => (),
                }
            }
            let carried = download.poll(cx, &mut from, &mut to, None);
            if carried.is_pending() {
                if download.has_moved() | upload.has_moved() {
                    self.deadline.renew(settings.timeouts.idle);
                }
                self.told.phase.set(if download.is_held_up { Phase::Delivering } else { Phase::Answering });
                // One that is not written to, because nothing comes for it, would be missed by nobody.
                if !uploading && (body.poll_gone(cx) || to.poll_gone(cx)) {
                    return Poll::Ready(Err(PumpError::Sink(SinkError::Gone)));
                }
            }
            carried
        })
        .await;
        self.deadline.look();
        self.told.bytes_in.set(upload.bytes);
        self.told.bytes_out.set(download.bytes);
        match done {
            Ok(()) if is_early => Ok(Carried::Spent),
            Ok(()) => Ok(Carried::Whole),
            Err(PumpError::Sink(_)) => Err(Failure::ClientGone),
            Err(PumpError::TooLarge) => Err(Failure::Upstream(Reason::BodyTooLarge, None)),
            Err(PumpError::Source(error)) => {
                if !to.has_sent() {
                    // The client knows nothing of the answer yet, and so can have one of our own.
                    self.told.status.set(0);
                }
                to.reset();
                let reason = match error {
                    SourceError::Malformed(_) => Reason::UpstreamMalformed,
                    _ => Reason::UpstreamClosed,
                };
                Err(Failure::Upstream(reason, None))
            }
        }
    }
}

/// What became of a request on one connection.
enum Carried {
    /// The answer is whole, and so was the request.
    Whole,
    /// The answer is whole; the connection cannot be used again.
    Spent,
    /// The connection is another protocol's from now on.
    Upgraded,
    /// The client has been told nothing.
    Nothing(Attempt),
}

fn half_and_buffer(connection: &mut Connection) -> (Half<'_>, &mut Buffer) {
    (Half(&connection.transport), &mut connection.buffer)
}

fn client_failure(error: &SourceError) -> Failure {
    match error {
        SourceError::Malformed(fault) => Failure::Upstream(Reason::Malformed(*fault), None),
        _ => Failure::ClientGone,
    }
}

/// `Keep-Alive: timeout=5`, and a second less, so that it is not met on the way.
fn keep_alive(response: &Response) -> Option<Duration> {
    let value = response.fields.get(Name::KeepAlive)?;
    let timeout = value.split(|byte| *byte == b',').find_map(|part| part.trim_ascii().strip_prefix(b"timeout="))?;
    let seconds: u64 = std::str::from_utf8(timeout).ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds.saturating_sub(1)).max(Duration::from_millis(500)))
}
