//! The principal type is [`Exchange`]: one request and what becomes of it. `phase` has the map.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use unladen_http1::{Length, Request, Response};
use unladen_pool::{Connection, Endpoint, InFlight, Lease, LeaseError, Need, Refusal, Stream};

use crate::answer::{Answer, Lost};
use crate::beside::Beside;
use crate::client::Client;
use crate::compose::{Additions, request_to_h1, request_to_h2};
use crate::phase::Phase;
use crate::record::{End, Reason, Reuse, Trace, Version};
use crate::stream::{H1Sink, Pump, PumpError, Sink, Source, SourceError};
use crate::tunnel::tunnel;
use crate::watch::Deadline;

/// One request and what becomes of it.
pub(crate) struct Exchange<'a, 'u> {
    pub(crate) beside: &'u Beside,
    pub(crate) thread: usize,
    pub(crate) request: &'a Request,
    pub(crate) request_id: Option<&'a [u8]>,
    pub(crate) trace: Option<&'a Trace>,
    pub(crate) began: Instant,
    pub(crate) deadline: &'a Deadline,
    pub(crate) told: &'a Told<'u>,
}

/// What is known of a request so far; read by whoever ends it, even if it is cut off.
#[derive(Debug)]
pub(crate) struct Told<'a> {
    /// Its place among those in flight. Whoever ends it tells the breaker how.
    pub(crate) in_flight: RefCell<Option<InFlight<'a>>>,
    pub(crate) phase: Cell<Phase>,
    pub(crate) status: Cell<u16>,
    pub(crate) attempts: Cell<u32>,
    pub(crate) reuse: Cell<Reuse>,
    pub(crate) endpoint: RefCell<Option<Arc<Endpoint>>>,
    pub(crate) upstream_version: Cell<Option<Version>>,
    pub(crate) connected: Cell<Option<Duration>>,
    pub(crate) first_byte: Cell<Option<Duration>>,
    pub(crate) bytes_in: Cell<u64>,
    pub(crate) bytes_out: Cell<u64>,
}

/// Why the upstream's answer did not get to the client whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Answer this, or if an answer has begun, break off.
    Upstream(Reason, Option<Duration>),
    /// There is nobody to answer.
    ClientGone,
}

/// What a tried attempt came to.
enum Attempt {
    Done(End),
    /// Nothing was answered, and the request can be sent again: because its connection was just closed …
    Race,
    /// … or for this reason.
    Again(Reason),
}

// === impl Told ===

impl Told<'_> {
    pub(crate) fn new() -> Self {
        Self {
            in_flight: RefCell::new(None),
            phase: Cell::new(Phase::Admitting),
            status: Cell::new(0),
            attempts: Cell::new(0),
            reuse: Cell::new(Reuse::None),
            endpoint: RefCell::new(None),
            upstream_version: Cell::new(None),
            connected: Cell::new(None),
            first_byte: Cell::new(None),
            bytes_in: Cell::new(0),
            bytes_out: Cell::new(0),
        }
    }

    /// Whether the client has been answered, or its answer begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.status.get() >= 200 || self.status.get() == 101
    }
}

// === impl Exchange ===

impl Exchange<'_, '_> {
    /// Asks the upstream, and passes its answer on.
    pub(crate) async fn run(
        &self,
        body: &mut Source<'_>,
        client: &mut Client<'_>,
        response: &mut Response,
        scratch: &mut Vec<u8>,
    ) -> Result<End, Failure> {
        let upstream = &*self.beside.upstream;
        self.beside
            .rates
            .take(self.request, self.began)
            .map_err(|after| Failure::Upstream(Reason::RateLimited, Some(after)))?;
        let in_flight = upstream.admit(self.began).map_err(|refusal| match refusal {
            Refusal::BreakerOpen(after) => Failure::Upstream(Reason::BreakerOpen, Some(after)),
            Refusal::TooManyRequests => Failure::Upstream(Reason::TooManyRequests, None),
        })?;
        self.told.in_flight.replace(Some(in_flight));
        self.attempts(body, client, response, scratch).await
    }

    async fn attempts(
        &self,
        body: &mut Source<'_>,
        client: &mut Client<'_>,
        response: &mut Response,
        scratch: &mut Vec<u8>,
    ) -> Result<End, Failure> {
        let upstream = &*self.beside.upstream;
        let settings = upstream.settings();
        let is_idempotent = self.request.is_idempotent();
        let upgrade = client.can_upgrade() && self.asks_for_upgrade();
        // Not only of what may be sent twice: nothing of it may have been sent once.
        let mut upload = Pump::keeping(settings.retry.replay_bytes);
        let mut need = Need { fresh: !is_idempotent, new: false, upgrade };
        let mut tried: Vec<Arc<Endpoint>> = Vec::new();
        let mut retries = 0;
        let mut races = 0;
        loop {
            self.told.phase.set(Phase::Connecting);
            // Time to connect is bounded where it is done, for each attempt.
            self.deadline.set(settings.timeouts.connect.saturating_mul(2));
            let Some(endpoint) = upstream.endpoint(&tried).await else {
                return Err(Failure::Upstream(Reason::NoEndpoint, None));
            };
            self.told.attempts.set(self.told.attempts.get() + 1);
            let attempt = match upstream.lease(self.thread, &endpoint, need, self.deadline.now()).await {
                Ok(lease) => self.attempt(lease, &mut upload, body, client, response, scratch, retries).await?,
                Err(error) => {
                    let reason = reason_of(&error);
                    upstream.report(&endpoint, !reason.is_upstreams());
                    // Nothing was sent: whatever it is, it can be sent elsewhere.
                    Attempt::Again(reason)
                }
            };
            *self.told.endpoint.borrow_mut() = Some(endpoint.clone());
            let reason = match attempt {
                Attempt::Done(end) => return Ok(end),
                Attempt::Race => {
                    races += 1;
                    // The second time, a new connection: whatever closes all idle ones at once is not raced a third time.
                    need.new = races > 1;
                    if races > 2 || !upload.again() {
                        return Err(Failure::Upstream(Reason::UpstreamClosed, None));
                    }
                    continue;
                }
                Attempt::Again(reason) => reason,
            };
            let is_last = retries >= settings.retry.attempts || !reason.may_be_tried_again() || !upload.again();
            let leave = if is_last { None } else { upstream.retry(self.deadline.look()) };
            if leave.is_none() {
                return Err(Failure::Upstream(reason, None));
            }
            retries += 1;
            tried.push(endpoint);
            let wait = unladen_pool::delay(retries, &settings.retry);
            if self.deadline.left().is_some_and(|left| left <= wait) {
                return Err(Failure::Upstream(reason, None));
            }
            self.told.phase.set(Phase::BackingOff);
            self.deadline.set(wait.saturating_mul(2) + Duration::from_secs(1));
            tokio::time::sleep(wait).await;
            self.deadline.look();
        }
    }

    fn asks_for_upgrade(&self) -> bool {
        use unladen_http1::Name;
        self.request.minor == 1
            && self.request.fields.get(Name::Upgrade).is_some_and(|to| !to.eq_ignore_ascii_case(b"h2c"))
            && self.request.fields.has_token(Name::Connection, b"upgrade")
    }

    #[allow(clippy::too_many_arguments, reason = "what one attempt borrows of the loop around it")]
    async fn attempt(
        &self,
        lease: Lease,
        upload: &mut Pump,
        body: &mut Source<'_>,
        client: &mut Client<'_>,
        response: &mut Response,
        scratch: &mut Vec<u8>,
        retries: u32,
    ) -> Result<Attempt, Failure> {
        if !matches!(lease, Lease::H1(_, unladen_pool::Source::Own) | Lease::H2(_, unladen_pool::Source::Own)) {
            self.deadline.look();
        }
        self.told.connected.set(Some(self.since_began()));
        match lease {
            Lease::H1(connection, source) => {
                self.told.reuse.set(source.into());
                self.told.upstream_version.set(Some(Version::Http11));
                self.over_h1(connection, upload, body, client, response, scratch, retries).await
            }
            Lease::H2(stream, source) => {
                self.told.reuse.set(source.into());
                self.told.upstream_version.set(Some(Version::Http2));
                self.over_h2(stream, upload, body, client, response, retries).await
            }
        }
    }

    fn additions<'b>(&'b self, endpoint: &Endpoint, client: &Client<'_>, upgrade: bool) -> Additions<'b> {
        let (authority, tls) = self.beside.upstream.origin(endpoint);
        Additions {
            settings: &self.beside.settings,
            authority,
            tls,
            client: client.address(),
            request_id: self.request_id,
            trace: self.trace,
            upgrade,
        }
    }

    #[allow(clippy::too_many_arguments, reason = "what one attempt borrows of the loop around it")]
    async fn over_h1(
        &self,
        mut connection: Connection,
        upload: &mut Pump,
        body: &mut Source<'_>,
        client: &mut Client<'_>,
        response: &mut Response,
        scratch: &mut Vec<u8>,
        retries: u32,
    ) -> Result<Attempt, Failure> {
        let endpoint = connection.endpoint.clone();
        let _busy = endpoint.busy();
        let upgrade = client.can_upgrade() && self.asks_for_upgrade();
        scratch.clear();
        request_to_h1(scratch, self.request, &self.additions(&endpoint, client, upgrade));
        connection.requests += 1;
        let was_used = connection.requests > 1;
        let half = unladen_pool::Half(&connection.transport);
        let sink = Sink::H1(H1Sink::new(half, scratch, self.request.length));
        let limits = self.beside.response_limits();
        let answer = Answer::h1(half, &mut connection.buffer, &self.request.method, limits);
        let carried = self.carry(sink, answer, upload, body, client, response, was_used, retries, &endpoint).await?;
        match carried {
            Carried::Whole => {
                if response.keeps_alive() && connection.buffer.is_empty() {
                    connection.keep = keep_alive(response);
                    self.beside.upstream.give_back(self.thread, connection, self.deadline.look());
                }
                Ok(Attempt::Done(End::Answered))
            }
            Carried::Spent => Ok(Attempt::Done(End::Answered)),
            Carried::Upgraded => {
                let idle = self.beside.upstream.settings().timeouts.tunnel;
                self.told.phase.set(Phase::Tunnelling);
                if let Some(client) = body.connection() {
                    tunnel(client, half_and_buffer(&mut connection), self.deadline, idle, self.told).await;
                }
                Ok(Attempt::Done(End::Upgraded))
            }
            Carried::Nothing(attempt) => Ok(attempt),
        }
    }

    async fn over_h2(
        &self,
        mut stream: Stream,
        upload: &mut Pump,
        body: &mut Source<'_>,
        client: &mut Client<'_>,
        response: &mut Response,
        retries: u32,
    ) -> Result<Attempt, Failure> {
        let endpoint = stream.endpoint().clone();
        let _busy = endpoint.busy();
        let Ok(head) = request_to_h2(self.request, &self.additions(&endpoint, client, false)) else {
            return Err(Failure::Upstream(Reason::Malformed(unladen_http1::Fault::Target), None));
        };
        let ends = self.request.length == Length::None || matches!(self.request.length, Length::Exact(0));
        let (future, send) = match stream.send(head, ends).await {
            Ok(sent) => sent,
            // Nothing of it has been sent.
            Err(_) => return Ok(Attempt::Race),
        };
        let sink = Sink::H2(crate::stream::H2Sink::new(send, ends));
        let answer = Answer::h2(future);
        let carried = self.carry(sink, answer, upload, body, client, response, true, retries, &endpoint).await?;
        match carried {
            Carried::Whole | Carried::Spent | Carried::Upgraded => Ok(Attempt::Done(End::Answered)),
            Carried::Nothing(attempt) => Ok(attempt),
        }
    }

    /// Sends the request, waits for the answer, and passes it on; whichever HTTP is spoken.
    #[allow(clippy::too_many_arguments, reason = "what one attempt borrows of the loop around it")]
    async fn carry(
        &self,
        mut sink: Sink<'_>,
        mut answer: Answer<'_>,
        upload: &mut Pump,
        body: &mut Source<'_>,
        client: &mut Client<'_>,
        response: &mut Response,
        was_used: bool,
        retries: u32,
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
                    match upload.poll(cx, body, &mut sink, limit) {
                        Poll::Ready(Ok(())) => {
                            uploading = false;
                            self.told.phase.set(Phase::Waiting);
                            self.deadline.set(settings.timeouts.first_byte);
                        }
                        // It may have answered before it stopped to listen.
                        Poll::Ready(Err(PumpError::Sink(error))) => (uploading, refused) = (false, Some(error)),
                        Poll::Ready(Err(PumpError::TooLarge)) => {
                            return Poll::Ready(Err(Lost::Client(Failure::Upstream(Reason::BodyTooLarge, None))));
                        }
                        Poll::Ready(Err(PumpError::Source(error))) => {
                            return Poll::Ready(Err(Lost::Client(client_failure(&error))));
                        }
                        Poll::Pending => {
                            if upload.has_moved() {
                                self.deadline.renew(settings.timeouts.idle);
                            }
                            self.told.phase.set(if upload.is_held_up { Phase::Waiting } else { Phase::Sending });
                        }
                    }
                }
                if let Poll::Ready(headed) = answer.poll_head(cx, response) {
                    return Poll::Ready(headed);
                }
                if !uploading && client.poll_gone(cx, body) {
                    return Poll::Ready(Err(Lost::Client(Failure::ClientGone)));
                }
                Poll::Pending
            })
            .await;
            self.told.bytes_in.set(upload.bytes);
            match headed {
                Ok(()) if response.status == 101 && client.can_upgrade() && self.asks_for_upgrade() => {
                    self.deadline.look();
                    self.told.first_byte.set(Some(self.since_began()));
                    self.told.status.set(101);
                    client.interim(response).await.map_err(|_| Failure::ClientGone)?;
                    upstream.report(endpoint, true);
                    return Ok(Carried::Upgraded);
                }
                Ok(()) if response.status == 101 => {
                    return Err(Failure::Upstream(Reason::UpstreamMalformed, None));
                }
                Ok(()) if response.status < 200 => {
                    client.interim(response).await.map_err(|_| Failure::ClientGone)?;
                }
                Ok(()) => break,
                Err(Lost::Client(failure)) => {
                    sink.reset();
                    return Err(failure);
                }
                Err(Lost::Upstream { reason, unprocessed, silent }) => {
                    let untouched = unprocessed || (refused.is_some() && !sink.has_sent());
                    // Nothing of an answer came on a connection that had been idle: it was being closed.
                    if (untouched || (was_used && silent && self.request.is_idempotent()))
                        && reason == Reason::UpstreamClosed
                    {
                        return Ok(Carried::Nothing(Attempt::Race));
                    }
                    upstream.report(endpoint, false);
                    if self.request.is_idempotent() && silent {
                        return Ok(Carried::Nothing(Attempt::Again(reason)));
                    }
                    return Err(Failure::Upstream(reason, None));
                }
            }
        }
        self.deadline.look();
        upstream.report(endpoint, !matches!(response.status, 502..=504));
        self.told.first_byte.set(Some(self.since_began()));
        if settings.retry.statuses.contains(&response.status)
            && retries < settings.retry.attempts
            && self.request.is_idempotent()
            && let Some(_leave) = upstream.retry(self.deadline.look())
            && upload.again()
        {
            return Ok(Carried::Nothing(Attempt::Again(Reason::UpstreamStatus)));
        }
        self.pass_on(sink, answer, upload, body, client, response, uploading, refused.is_some()).await
    }

    /// Passes an answer on whose head is there.
    #[allow(clippy::too_many_arguments, reason = "what one attempt borrows of the loop around it")]
    async fn pass_on(
        &self,
        mut sink: Sink<'_>,
        answer: Answer<'_>,
        upload: &mut Pump,
        body: &mut Source<'_>,
        client: &mut Client<'_>,
        response: &Response,
        mut uploading: bool,
        refused: bool,
    ) -> Result<Carried, Failure> {
        let settings = self.beside.upstream.settings();
        let limit = self.beside.settings.client.body_bytes;
        // What it has not read of the request would be taken for the next one.
        let is_early = uploading || refused;
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
            if carried.is_pending() && (download.has_moved() | upload.has_moved()) {
                self.deadline.renew(settings.timeouts.idle);
            }
            carried
        })
        .await;
        self.told.bytes_in.set(upload.bytes);
        self.told.bytes_out.set(download.bytes);
        match done {
            Ok(()) if is_early => Ok(Carried::Spent),
            Ok(()) => Ok(Carried::Whole),
            Err(PumpError::Sink(_)) => Err(Failure::ClientGone),
            Err(PumpError::TooLarge) => Err(Failure::Upstream(Reason::BodyTooLarge, None)),
            Err(PumpError::Source(error)) => {
                to.reset();
                let reason = match error {
                    SourceError::Malformed(_) => Reason::UpstreamMalformed,
                    _ => Reason::UpstreamClosed,
                };
                Err(Failure::Upstream(reason, None))
            }
        }
    }

    fn since_began(&self) -> Duration {
        self.deadline.now().saturating_duration_since(self.began)
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

fn half_and_buffer(connection: &mut Connection) -> (unladen_pool::Half<'_>, &mut unladen_pool::Buffer) {
    (unladen_pool::Half(&connection.transport), &mut connection.buffer)
}

fn client_failure(error: &SourceError) -> Failure {
    match error {
        SourceError::Malformed(fault) => Failure::Upstream(Reason::Malformed(*fault), None),
        _ => Failure::ClientGone,
    }
}

/// `Keep-Alive: timeout=5`, and a second less, so that it is not met on the way.
fn keep_alive(response: &Response) -> Option<Duration> {
    let value = response.fields.get(unladen_http1::Name::KeepAlive)?;
    let timeout = value.split(|byte| *byte == b',').find_map(|part| part.trim_ascii().strip_prefix(b"timeout="))?;
    let seconds: u64 = std::str::from_utf8(timeout).ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds.saturating_sub(1)).max(Duration::from_millis(500)))
}

fn reason_of(error: &LeaseError) -> Reason {
    match error {
        LeaseError::NoEndpoint => Reason::NoEndpoint,
        LeaseError::TooManyPending => Reason::TooManyPending,
        LeaseError::Connect { .. } => Reason::ConnectFailed,
        LeaseError::Timeout(_) => Reason::ConnectTimeout,
        LeaseError::Tls(_) => Reason::TlsFailed,
        LeaseError::Http2(_) => Reason::UpstreamMalformed,
        LeaseError::NoUpgrade => Reason::NoUpgrade,
    }
}

impl From<unladen_pool::Source> for Reuse {
    fn from(source: unladen_pool::Source) -> Self {
        match source {
            unladen_pool::Source::Own => Self::Own,
            unladen_pool::Source::Sibling => Self::Sibling,
            unladen_pool::Source::New => Self::New,
            unladen_pool::Source::Resumed => Self::Resumed,
        }
    }
}
