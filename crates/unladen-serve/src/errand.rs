//! The principal type is [`Errand`]: runs one exchange within its time, answers in the upstream's place if need be, and tells of it.

use std::pin::pin;
use std::time::{Duration, Instant};

use unladen_http1::{Name, Request, Response};

use crate::beside::Beside;
use crate::client::Client;
use crate::compose;
use crate::context::Context;
use crate::exchange::{Exchange, Failure};
use crate::phase::Phase;
use crate::record::{CacheResult, End, Reason, Record, Trace, Version};
use crate::seeing::{UpstreamIndex, request_id, trace_context};
use crate::stream::Source;
use crate::told::Told;
use crate::watch::{Deadline, Watch};

/// One request, from its head to its record.
pub(crate) struct Errand<'a> {
    pub(crate) context: &'a Context,
    pub(crate) beside: &'a Beside,
    pub(crate) index: UpstreamIndex,
    pub(crate) request: &'a Request,
    pub(crate) version: Version,
    /// When the head's first byte was read …
    pub(crate) began: Instant,
    /// … and its last.
    pub(crate) now: Instant,
    /// In front of an application: what the cache did.
    pub(crate) cache: Option<(CacheResult, &'static str)>,
}

/// For an answer of our own, to a client that may be slow to take it.
const ANSWER_TIME: Duration = Duration::from_secs(10);

impl Errand<'_> {
    /// How it ended, and when.
    pub(crate) async fn run<'c>(
        self,
        watch: &mut Watch,
        body: &mut Source<'c>,
        client: &mut Client<'c>,
        response: &mut Response,
        up: &mut Vec<u8>,
        id: &mut Vec<u8>,
    ) -> (End, Instant) {
        let head = self.now.saturating_duration_since(self.began);
        let settings = self.beside.upstream.settings();
        let last = settings.timeouts.request.map(|all| self.began + all);
        let deadline = Deadline::new(self.now, settings.timeouts.connect, last);
        let told = Told::new();
        id.clear();
        let mut has_own_id = false;
        match self.request.fields.get(Name::XRequestId) {
            Some(given) => id.extend_from_slice(given),
            None if self.beside.settings.request_id => {
                has_own_id = true;
                request_id(id);
            }
            None => (),
        }
        let trace = self.trace();
        // What several wait for is counted by each of them.
        let is_own = !client.is_own();
        if is_own {
            self.context.seeing.begin(self.index);
        }
        let exchange = Exchange {
            beside: self.beside,
            thread: self.context.thread,
            request: self.request,
            request_id: has_own_id.then_some(&**id),
            trace: trace.as_ref(),
            began: self.began,
            deadline: &deadline,
            told: &told,
        };
        let outcome = watch.over(&deadline, pin!(exchange.run(body, client, response, up))).await;
        // The clock was looked at when the last piece of an answer was sent.
        let now = if matches!(outcome, Some(Ok(End::Answered))) { deadline.now() } else { deadline.look() };
        let (reason, after) = match outcome {
            Some(Ok(end)) => return self.tell(&told, end, head, id, trace, now, is_own),
            Some(Err(Failure::ClientGone)) => return self.tell(&told, End::ClientGone, head, id, trace, now, is_own),
            Some(Err(Failure::Upstream(reason, after))) => (reason, after),
            None if deadline.is_last() => (Reason::DeadlineExceeded, None),
            // It was quiet for as long as it may be, which speaks against nobody.
            None if told.phase.get() == Phase::Tunnelling => {
                return self.tell(&told, End::Upgraded, head, id, trace, now, is_own);
            }
            None => (told.phase.get().too_long(), None),
        };
        if (reason == Reason::UpstreamTimeout || is_stalled(&told, reason))
            && let Some(endpoint) = &*told.endpoint.borrow()
        {
            self.beside.upstream.report(endpoint, false);
        }
        if told.has_begun() {
            return self.tell(&told, End::Broken(reason), head, id, trace, now, is_own);
        }
        // Before the client can know, and ask again on another thread.
        report(&told, End::Local(reason), now);
        if client.failed(reason, after) {
            return self.tell(&told, End::Local(reason), head, id, trace, now, is_own);
        }
        let words = compose::local(response, reason, after);
        told.status.set(reason.status());
        if !body.is_done() {
            client.ends();
        }
        let is_head = self.request.method == b"HEAD";
        let deadline = Deadline::new(now, ANSWER_TIME, None);
        let via = self.beside.settings.via;
        let end = match watch.over(&deadline, pin!(client.answer(response, &words, is_head, via))).await {
            Some(Ok(())) => End::Local(reason),
            _ => End::ClientGone,
        };
        self.tell(&told, end, head, id, trace, deadline.look(), is_own)
    }

    fn trace(&self) -> Option<Trace> {
        let sample = self.context.trace_sample.get()?;
        let mut given = self.request.fields.iter().filter(|field| field.id == Name::Traceparent);
        // Of two, nobody knows which one is meant: that is none.
        let (first, second) = (given.next(), given.next());
        let only = first.filter(|_| second.is_none()).map(|field| field.value);
        Some(trace_context::incoming(only, sample))
    }

    #[allow(clippy::too_many_arguments, reason = "they are what is known at the end, and nowhere else")]
    fn tell(
        &self,
        told: &Told<'_>,
        end: End,
        head: Duration,
        id: &[u8],
        trace: Option<Trace>,
        now: Instant,
        is_own: bool,
    ) -> (End, Instant) {
        report(told, end, now);
        let endpoint = told.endpoint.borrow();
        let record = Record {
            upstream: &self.beside.upstream.settings().name,
            endpoint: endpoint.as_deref().map(|endpoint| &endpoint.address),
            method: &self.request.method,
            target: &self.request.target,
            authority: &self.request.authority,
            client_version: self.version,
            upstream_version: told.upstream_version.get(),
            status: told.status.get(),
            end,
            reuse: told.reuse.get(),
            attempts: told.attempts.get(),
            began: self.began,
            head,
            connected: told.connected.get(),
            first_byte: told.first_byte.get(),
            total: now.saturating_duration_since(self.began),
            bytes_in: told.bytes_in.get(),
            bytes_out: told.bytes_out.get(),
            request_id: id,
            trace,
            cache: self.cache,
        };
        if is_own {
            self.context.seeing.observe(&record, self.index);
            self.context.seeing.end(self.index);
        } else {
            self.context.seeing.fetched(&record, self.index);
        }
        (end, now)
    }
}

/// Whether the time for the whole ended while an answer was waited for.
fn is_stalled(told: &Told<'_>, reason: Reason) -> bool {
    reason == Reason::DeadlineExceeded && told.phase.get() == Phase::Waiting
}

/// Tells the breaker how the upstream has done, if that is known.
fn report(told: &Told<'_>, end: End, now: Instant) {
    let is_good = match end {
        End::Answered => !matches!(told.status.get(), 502..=504),
        End::Upgraded => true,
        End::Local(reason) | End::Broken(reason) if reason.is_upstreams() || is_stalled(told, reason) => false,
        // They say nothing of the upstream, or it was never asked.
        End::Local(_) | End::Broken(_) | End::ClientGone => return,
    };
    if let Some(in_flight) = &mut *told.in_flight.borrow_mut() {
        in_flight.report(is_good, now);
    }
}
