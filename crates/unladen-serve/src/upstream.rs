//! Asking an upstream. The principal type is [`Exchange`]: one request, sent as often as it takes and may (`phase` has
//! the map). [`decide`] says whether a failed request is sent again, by [`Facts`] alone; the exchange asks for leave,
//! waits, and sends.

pub(crate) mod admission;
pub(crate) mod answer;
pub(crate) mod attempt;
pub(crate) mod deliver;
pub(crate) mod fastcgi;
pub(crate) mod named_file;
pub(crate) mod params;
pub(crate) mod tunnel;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_files::Script;
use unladen_http1::{Length, Name, Request, Response};
use unladen_observability::{Cause, End, Reason, Trace, reason_of};
use unladen_pool::{Endpoint, Need, Refusal, Retrying};

use crate::limits::queue::QueueEntry;
use crate::limits::rates::{Asker, Counting};
use crate::limits::short_of_files;
use crate::message::downstream::Downstream;
use crate::message::stream::{BodySource, Pump, SourceError};
use crate::proxy::Proxy;
use crate::request::RequestState;
use crate::request::phase::Phase;
use crate::request::watch::Deadline;

pub(crate) struct Exchange<'a, 'u> {
    pub(crate) proxy: &'u Proxy,
    pub(crate) thread: usize,
    pub(crate) request: &'a Request,
    pub(crate) request_id: Option<&'a [u8]>,
    pub(crate) trace: Option<&'a Trace>,
    pub(crate) began: Instant,
    pub(crate) client: Option<IpAddr>,
    /// The client's port, if it is connected directly.
    pub(crate) port: Option<u16>,
    pub(crate) script: Option<&'a Script>,
    pub(crate) queue_entry: QueueEntry<'a>,
    /// Endpoint to send to; `None` for any.
    pub(crate) endpoint: Option<&'a Arc<Endpoint>>,
    pub(crate) deadline: &'a Deadline,
    pub(crate) state: &'a RequestState<'u>,
}

/// Why the upstream's answer did not get to the client whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Reply so, or if an answer has begun, break off.
    Upstream(Reason, Option<Duration>),
    ClientGone,
}

/// What an attempt works with, and leaves to the next.
pub(crate) struct Work<'w, 'c, 'u> {
    pub(crate) body: &'w mut BodySource<'c>,
    pub(crate) client: &'w mut Downstream<'c>,
    pub(crate) response: &'w mut Response,
    /// The request's head as sent.
    pub(crate) buffers: &'w mut Vec<u8>,
    /// The request's body, if it was spooled until whole.
    pub(crate) received: Option<BodySource<'c>>,
    pub(crate) upload: Pump,
    /// Whether the connection is to change its protocol.
    pub(crate) upgrade: bool,
    /// Times it was sent again because its connection was just being closed …
    pub(crate) races: u32,
    /// … and for other reasons.
    pub(crate) retries: u32,
    /// The latest leave to do so: held until an answer is there.
    pub(crate) retrying: Option<Retrying<'u>>,
}

pub(crate) enum Attempt {
    Done(End),
    /// Nothing of an answer has been passed on.
    Lost(Facts),
    /// The answer's status is to be retried, and there is leave.
    Declined,
}

impl Failure {
    pub(crate) fn of_client(error: &SourceError) -> Self {
        match error {
            SourceError::Malformed(fault) => Self::Upstream(Reason::Malformed(*fault), None),
            SourceError::Spool(_) => Self::Upstream(Reason::DiskFailed, None),
            _ => Self::ClientGone,
        }
    }
}

impl<'u> Exchange<'_, 'u> {
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
        if let Some(shared) = &self.proxy.rates.shared {
            let Self { request, thread, began: now, .. } = *self;
            // A fetch belongs to its first asker.
            let client = self.client.or_else(|| client.address());
            let asked = shared.ask(Asker { request, client, thread, now }, Counting::Going).await;
            self.deadline.look();
            asked.map_err(|after| Failure::Upstream(Reason::RateLimited, Some(after)))?;
        }
        let limit = self.proxy.settings.client.body_bytes;
        if let (Length::Exact(length), Some(limit)) = (self.request.length, limit)
            && length > limit
        {
            return Err(Failure::Upstream(Reason::BodyTooLarge, None));
        }
        // Before it counts as under way: slow senders take no place from those who have sent everything.
        let received = self.receive(body, client).await?;
        if let Some(queue) = &self.proxy.queue {
            let is_whole = received.is_some() || body.is_done() || body.holds(self.request.length);
            let place = self.admission(queue, is_whole, body, client).await?;
            self.state.place.replace(Some(place));
        }
        let in_flight = upstream.admit(self.began).map_err(|refusal| match refusal {
            Refusal::BreakerOpen(after) => Failure::Upstream(Reason::BreakerOpen, Some(after)),
            Refusal::TooManyRequests => Failure::Upstream(Reason::TooManyRequests, None),
        })?;
        self.state.in_flight.replace(Some(in_flight));
        let upgrade = client.can_upgrade() && self.asks_for_upgrade();
        // Kept for unsafe requests too, as possibly none of it was sent.
        let upload = match received {
            Some(_) => Pump::rewinding(),
            None => Pump::keeping(upstream.settings().retry.replay_bytes),
        };
        let (races, retries, retrying) = (0, 0, None);
        self.attempts(Work { body, client, response, buffers, received, upload, upgrade, races, retries, retrying })
            .await
    }

    async fn attempts(&self, mut work: Work<'_, '_, 'u>) -> Result<End, Failure> {
        let upstream = &*self.proxy.upstream;
        let settings = upstream.settings();
        let mut need = Need { fresh: !self.request.is_idempotent(), new: false, upgrade: work.upgrade };
        let mut tried: Vec<Arc<Endpoint>> = Vec::new();
        loop {
            self.state.phase.set(Phase::Connecting);
            // Connecting is bounded for each attempt.
            self.deadline.set(settings.timeouts.connect.saturating_mul(2));
            let endpoint = match self.endpoint {
                Some(peer) => Some(peer.clone()),
                None => upstream.endpoint(&tried).await,
            };
            let Some(endpoint) = endpoint else {
                *self.state.cause.borrow_mut() = Some(Box::new(Cause::of_no_endpoint(upstream)));
                return Err(Failure::Upstream(Reason::NoEndpoint, None));
            };
            self.state.attempts.set(self.state.attempts.get() + 1);
            // Before it is asked: whoever ends the request meanwhile needs to know whose fault it was.
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
                    Attempt::Lost(self.facts(&work, reason, Reached::Nothing))
                }
            };
            let reason = match attempt {
                Attempt::Done(end) => return Ok(end),
                Attempt::Declined => Reason::UpstreamStatus,
                Attempt::Lost(facts) => match decide(&facts) {
                    Decision::AtOnce { new } => {
                        work.races += 1;
                        need.new = new;
                        work.begin_again();
                        self.deadline.look();
                        continue;
                    }
                    Decision::WithLeave if self.leave(&mut work) => facts.reason,
                    Decision::WithLeave | Decision::Never => return Err(Failure::Upstream(facts.reason, None)),
                },
            };
            work.begin_again();
            work.retries += 1;
            tried.push(endpoint);
            let wait = unladen_pool::delay(work.retries, &settings.retry);
            self.deadline.look();
            if !has_time(self.deadline.left(), wait) {
                return Err(Failure::Upstream(reason, None));
            }
            self.state.phase.set(Phase::BackingOff);
            self.deadline.set(wait.saturating_mul(2) + Duration::from_secs(1));
            tokio::time::sleep(wait).await;
            self.deadline.look();
        }
    }

    pub(crate) fn facts(&self, work: &Work<'_, '_, '_>, reason: Reason, reached: Reached) -> Facts {
        Facts {
            reason,
            reached,
            is_idempotent: self.request.is_idempotent(),
            is_kept: work.upload.is_kept(),
            races: work.races,
            retries: work.retries,
            attempts: self.proxy.upstream.settings().retry.attempts,
        }
    }

    pub(crate) fn leave(&self, work: &mut Work<'_, '_, 'u>) -> bool {
        let upstream: &'u _ = &*self.proxy.upstream;
        // A request is counted once, however often it is sent again.
        work.retrying = None;
        work.retrying = upstream.retry(self.deadline.now());
        work.retrying.is_some()
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

impl<'c> Work<'_, 'c, '_> {
    fn begin_again(&mut self) {
        self.upload.again(self.received.as_mut().unwrap_or(self.body));
    }

    /// Framing of the body, if it was spooled until whole.
    pub(crate) fn waited(&self) -> Option<Length> {
        match &self.received {
            Some(BodySource::Spool(source)) => Some(source.length()),
            _ => None,
        }
    }
}

/// Whether it is not HTTP itself: requests within a tunnel would pass us by (RFC 9113, section 3.1; RFC 2817).
fn is_another_protocol(listed: &[u8]) -> bool {
    let name = listed.split(|byte| *byte == b'/').next().unwrap_or_default().trim_ascii();
    ![&b"h2c"[..], b"h2", b"http", b"tls"].iter().any(|ours| name.eq_ignore_ascii_case(ours))
}

/// What is known of a failed request whose client has been told nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) reason: Reason,
    pub(crate) reached: Reached,
    /// Sending it twice does what sending it once does (RFC 9110, section 9.2.2).
    pub(crate) is_idempotent: bool,
    /// What was sent of its body is still there.
    pub(crate) is_kept: bool,
    /// Times it was sent again because its connection was just being closed.
    pub(crate) races: u32,
    /// Times it was sent again for other reasons …
    pub(crate) retries: u32,
    /// … and how many may be.
    pub(crate) attempts: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    Nothing,
    Connection {
        /// None of it was sent, or the upstream says that nothing was processed.
        unprocessed: bool,
        /// Nothing of an answer came.
        silent: bool,
        /// The connection has ended, not this request alone.
        ended: bool,
        /// The connection had carried others before.
        was_used: bool,
    },
    /// An answer whose status is to be retried.
    Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Send it at once, without leave; `new`: on a new connection.
    AtOnce {
        new: bool,
    },
    /// Send it after a while, if the upstream's budget gives leave and there is [time](has_time).
    WithLeave,
    Never,
}

pub(crate) fn decide(facts: &Facts) -> Decision {
    if !facts.reason.may_be_tried_again() || !facts.is_kept || !facts.is_safe() {
        return Decision::Never;
    }
    match (facts.is_race(), facts.races) {
        (true, 0) => Decision::AtOnce { new: false },
        // What closes all idle connections at once is not raced a third time.
        (true, 1) => Decision::AtOnce { new: true },
        (true, _) => Decision::Never,
        (false, _) if facts.retries < facts.attempts => Decision::WithLeave,
        (false, _) => Decision::Never,
    }
}

/// Whether the wait fits into the request's remaining time.
pub(crate) fn has_time(left: Option<Duration>, wait: Duration) -> bool {
    left.is_none_or(|left| left > wait)
}

impl Facts {
    /// Whether the connection was being closed when the request was sent: nobody's fault.
    pub(crate) fn is_race(&self) -> bool {
        let Reached::Connection { unprocessed, silent, ended, was_used } = self.reached else { return false };
        // No answer on a connection that had been idle: it was being closed (RFC 9112, section 9.3.1).
        let was_idle = was_used && ended && silent && self.is_idempotent;
        self.reason == Reason::UpstreamClosed && (unprocessed || was_idle)
    }

    fn is_safe(&self) -> bool {
        match self.reached {
            // Nothing was sent, so it can be sent elsewhere.
            Reached::Nothing => true,
            Reached::Connection { unprocessed, silent, .. } => unprocessed || (silent && self.is_idempotent),
            Reached::Answer => self.is_idempotent,
        }
    }
}

#[cfg(test)]
mod tests;
