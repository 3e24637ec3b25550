//! The principal type is [`Exchange`]: one request and what becomes of it, sent as often as it takes and may. `phase`
//! has the map.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_http1::{Length, Name, Request, Response};
use unladen_observability::{Cause, End, Reason, Trace, reason_of};
use unladen_pool::{Endpoint, Need, Refusal, Retrying};

use crate::limits::rates::Counting;
use crate::limits::shortage::short_of_files;
use crate::message::downstream::Downstream;
use crate::message::stream::{BodySource, Pump};
use crate::proxy::Proxy;
use crate::request::phase::Phase;
use crate::request::state::RequestState;
use crate::request::watch::Deadline;

/// One request and what becomes of it.
pub(crate) struct Exchange<'a, 'u> {
    pub(crate) proxy: &'u Proxy,
    pub(crate) thread: usize,
    pub(crate) request: &'a Request,
    pub(crate) request_id: Option<&'a [u8]>,
    pub(crate) trace: Option<&'a Trace>,
    pub(crate) began: Instant,
    /// In front of an application: whom it is for.
    pub(crate) client: Option<IpAddr>,
    pub(crate) deadline: &'a Deadline,
    pub(crate) state: &'a RequestState<'u>,
}

/// Why the upstream's answer did not get to the client whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Answer this, or if an answer has begun, break off.
    Upstream(Reason, Option<Duration>),
    /// There is nobody to answer.
    ClientGone,
}

/// What an attempt works with, and leaves to the next.
pub(crate) struct Work<'w, 'c, 'u> {
    /// The request's body.
    pub(crate) body: &'w mut BodySource<'c>,
    pub(crate) client: &'w mut Downstream<'c>,
    /// The head of the answer.
    pub(crate) response: &'w mut Response,
    /// The head of the request, as it is sent.
    pub(crate) buffers: &'w mut Vec<u8>,
    /// The same, if it has waited until it was whole.
    pub(crate) received: Option<BodySource<'c>>,
    pub(crate) upload: Pump,
    /// Whether the connection is to become another protocol's.
    pub(crate) upgrade: bool,
    /// Times it was sent again, but for the keep-alive race.
    pub(crate) retries: u32,
    /// The latest leave to do so: held until an answer is there.
    pub(crate) retrying: Option<Retrying<'u>>,
}

/// What an attempt came to.
pub(crate) enum Attempt {
    Done(End),
    /// Nothing was answered, and the request can be sent again: because its connection was just closed …
    Race,
    /// … or for this reason, if there is leave. Whether it has been given already.
    Again(Reason, bool),
}

// === impl Exchange ===

impl<'u> Exchange<'_, 'u> {
    /// Asks the upstream, and passes its answer on.
    pub(crate) async fn run<'c>(
        &self,
        body: &mut BodySource<'c>,
        client: &mut Downstream<'c>,
        response: &mut Response,
        buffers: &mut Vec<u8>,
    ) -> Result<End, Failure> {
        let upstream = &*self.proxy.upstream;
        self.proxy
            .rates
            .take(self.request, Counting::Going, self.began)
            .map_err(|after| Failure::Upstream(Reason::RateLimited, Some(after)))?;
        let limit = self.proxy.settings.client.body_bytes;
        if let (Length::Exact(length), Some(limit)) = (self.request.length, limit)
            && length > limit
        {
            return Err(Failure::Upstream(Reason::BodyTooLarge, None));
        }
        // Before it counts as under way: who is slow to say what it wants takes no place of those who have said it.
        let received = self.receive(body, client).await?;
        let in_flight = upstream.admit(self.began).map_err(|refusal| match refusal {
            Refusal::BreakerOpen(after) => Failure::Upstream(Reason::BreakerOpen, Some(after)),
            Refusal::TooManyRequests => Failure::Upstream(Reason::TooManyRequests, None),
        })?;
        self.state.in_flight.replace(Some(in_flight));
        let upgrade = client.can_upgrade() && self.asks_for_upgrade();
        // Not only of what may be sent twice: nothing of it may have been sent once.
        let upload = match received {
            Some(_) => Pump::rewinding(),
            None => Pump::keeping(upstream.settings().retry.replay_bytes),
        };
        self.attempts(Work { body, client, response, buffers, received, upload, upgrade, retries: 0, retrying: None })
            .await
    }

    async fn attempts(&self, mut work: Work<'_, '_, 'u>) -> Result<End, Failure> {
        let upstream = &*self.proxy.upstream;
        let settings = upstream.settings();
        let mut need = Need { fresh: !self.request.is_idempotent(), new: false, upgrade: work.upgrade };
        let mut tried: Vec<Arc<Endpoint>> = Vec::new();
        let mut races = 0;
        loop {
            self.state.phase.set(Phase::Connecting);
            // Time to connect is bounded where it is done, for each attempt.
            self.deadline.set(settings.timeouts.connect.saturating_mul(2));
            let Some(endpoint) = upstream.endpoint(&tried).await else {
                *self.state.cause.borrow_mut() = Some(Box::new(Cause::of_no_endpoint(upstream)));
                return Err(Failure::Upstream(Reason::NoEndpoint, None));
            };
            self.state.attempts.set(self.state.attempts.get() + 1);
            // Before it is asked: whoever ends the request meanwhile says whose fault it was.
            *self.state.endpoint.borrow_mut() = Some(endpoint.clone());
            let attempt = match upstream.lease(self.thread, &endpoint, need, self.deadline.now()).await {
                Ok(lease) => self.attempt(lease, &mut work).await?,
                Err(error) => {
                    let reason = reason_of(&error);
                    if reason == Reason::OutOfFiles {
                        short_of_files();
                    }
                    *self.state.cause.borrow_mut() = Some(Box::new(Cause::of_lease(&error, reason, &endpoint)));
                    if reason.is_upstreams() {
                        upstream.report(&endpoint, false);
                    }
                    // Nothing was sent: whatever it is, it can be sent elsewhere.
                    Attempt::Again(reason, false)
                }
            };
            let (reason, has_leave) = match attempt {
                Attempt::Done(end) => return Ok(end),
                Attempt::Race => {
                    races += 1;
                    // The second time, a new connection: whatever closes all idle ones at once is not raced a third
                    // time.
                    need.new = races > 1;
                    if races > 2 || !work.upload.is_kept() {
                        return Err(Failure::Upstream(Reason::UpstreamClosed, None));
                    }
                    work.begin_again();
                    self.deadline.look();
                    continue;
                }
                Attempt::Again(reason, has_leave) => (reason, has_leave),
            };
            if !has_leave && !self.leave(&mut work, reason) {
                return Err(Failure::Upstream(reason, None));
            }
            work.begin_again();
            work.retries += 1;
            tried.push(endpoint);
            let wait = unladen_pool::delay(work.retries, &settings.retry);
            self.deadline.look();
            if self.deadline.left().is_some_and(|left| left <= wait) {
                return Err(Failure::Upstream(reason, None));
            }
            self.state.phase.set(Phase::BackingOff);
            self.deadline.set(wait.saturating_mul(2) + Duration::from_secs(1));
            tokio::time::sleep(wait).await;
            self.deadline.look();
        }
    }

    /// Asks for leave to send the request again: whether that is safe and allowed.
    pub(crate) fn leave(&self, work: &mut Work<'_, '_, 'u>, reason: Reason) -> bool {
        let upstream: &'u _ = &*self.proxy.upstream;
        let may =
            work.retries < upstream.settings().retry.attempts && reason.may_be_tried_again() && work.upload.is_kept();
        if may {
            // A request is counted once, however often it is sent again.
            work.retrying = None;
            work.retrying = upstream.retry(self.deadline.now());
        }
        may && work.retrying.is_some()
    }

    fn asks_for_upgrade(&self) -> bool {
        let fields = &self.request.fields;
        let mut asked = fields.iter().filter(|field| field.id == Name::Upgrade).peekable();
        self.request.minor == 1
            && asked.peek().is_some()
            && asked.all(|field| field.value.split(|byte| *byte == b',').all(is_another_protocol))
            && fields.has_token(Name::Connection, b"upgrade")
    }

    pub(crate) fn since_began(&self) -> Duration {
        self.deadline.now().saturating_duration_since(self.began)
    }
}

// === impl Work ===

impl<'c> Work<'_, 'c, '_> {
    /// The body is to be sent from its start again.
    fn begin_again(&mut self) {
        self.upload.again(self.received.as_mut().unwrap_or(self.body));
    }

    /// How the body is framed, if it has waited until it was whole.
    pub(crate) fn waited(&self) -> Option<Length> {
        match &self.received {
            Some(BodySource::Spool(source)) => Some(source.length()),
            _ => None,
        }
    }
}

/// Whether it is none of HTTP itself: requests within a tunnel would pass us by (RFC 9113, section 3.1; RFC 2817).
fn is_another_protocol(listed: &[u8]) -> bool {
    let name = listed.split(|byte| *byte == b'/').next().unwrap_or_default().trim_ascii();
    ![&b"h2c"[..], b"h2", b"http", b"tls"].iter().any(|ours| name.eq_ignore_ascii_case(ours))
}
