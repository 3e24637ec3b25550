//! The principal type is [`Transaction`]: runs one exchange within its time, replies in the upstream's place if need
//! be, and logs it.

use std::net::IpAddr;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_files::Script;
use unladen_http1::{Fields, Name, Request, Response};
use unladen_observability::{
    CacheResult, Cause, End, Reason, RequestAccount, Trace, UpstreamIndex, Version, request_id, trace_context,
};
use unladen_pool::Endpoint;

use crate::context::Context;
use crate::limits::queue::QueueEntry;
use crate::message::compose;
use crate::message::downstream::{ClientSide, Downstream, ResponseOptions};
use crate::message::error_page::local_reply;
use crate::message::stream::BodySource;
use crate::proxy::Proxy;
use crate::request::phase::Phase;
use crate::request::watch::{Deadline, Watch};
use crate::request::{Fetched, Finished, RequestState};
use crate::upstream::{Exchange, Failure};

pub(crate) struct Transaction<'a> {
    pub(crate) context: &'a Context,
    pub(crate) proxy: &'a Proxy,
    pub(crate) index: UpstreamIndex,
    pub(crate) request: &'a Request,
    pub(crate) version: Version,
    pub(crate) began: Instant,
    pub(crate) now: Instant,
    /// Of a site: what the cache did.
    pub(crate) cache: Option<(CacheResult, &'static str)>,
    /// The client, if that is not the connection's peer.
    pub(crate) client: Option<IpAddr>,
    /// The client's port, if it is connected directly.
    pub(crate) port: Option<u16>,
    /// Record of the waiting request, if this is a fetch.
    pub(crate) fetched: Option<Rc<Fetched>>,
    pub(crate) script: Option<Arc<Script>>,
    pub(crate) queue_entry: QueueEntry<'a>,
    /// Peer to ask; `None` for any endpoint of the upstream.
    pub(crate) endpoint: Option<&'a Arc<Endpoint>>,
}

struct Account<'i> {
    head: Duration,
    id: &'i [u8],
    trace: Option<Trace>,
    address: Option<IpAddr>,
    /// It is counted as a fetch, whose waiting clients are counted themselves.
    is_fetch: bool,
}

impl<'a> Transaction<'a> {
    /// One of this node's own, for no client; others say more.
    pub(crate) fn new(
        context: &'a Context,
        proxy: &'a Proxy,
        index: UpstreamIndex,
        request: &'a Request,
        began: Instant,
    ) -> Self {
        Self {
            context,
            proxy,
            index,
            request,
            version: Version::Http11,
            began,
            now: began,
            cache: None,
            client: None,
            port: None,
            fetched: None,
            script: None,
            queue_entry: QueueEntry::default(),
            endpoint: None,
        }
    }

    /// Runs it for somebody without a connection, and without a body.
    pub(crate) async fn run_for(self, client: &mut Downstream<'_>) {
        let (mut watch, mut body, mut response) = (Watch::new(), BodySource::Empty, Response::default());
        let (mut up, mut id, mut key, mut variant) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut to = ClientSide {
            watch: &mut watch,
            body: &mut body,
            client,
            response: &mut response,
            up: &mut up,
            id: &mut id,
            key: &mut key,
            variant: &mut variant,
            more: &mut Fields::default(),
        };
        self.run(&mut to).await;
    }

    pub(crate) async fn run(self, to: &mut ClientSide<'_, '_>) -> Finished {
        let ClientSide { watch, body, client, response, up, id, .. } = to;
        let head = self.now.saturating_duration_since(self.began);
        let settings = self.proxy.upstream.settings();
        let last = settings.timeouts.request.map(|all| self.began + all);
        let deadline = Deadline::new(self.now, settings.timeouts.connect, last);
        let state = RequestState::new(self.fetched.clone());
        id.clear();
        let mut has_own_id = false;
        match self.request.fields.get(Name::XRequestId) {
            Some(given) => id.extend_from_slice(given),
            None if self.proxy.settings.request_id => {
                has_own_id = true;
                request_id(id);
            }
            None => (),
        }
        if let Some(fetched) = &self.fetched {
            fetched.request_id.borrow_mut().clone_from(id);
        }
        let address = self.client.or_else(|| client.address());
        let trace = self.trace();
        let account = Account { head, id, trace, address, is_fetch: client.is_internal() };
        let exchange = Exchange {
            proxy: self.proxy,
            thread: self.context.thread,
            request: self.request,
            request_id: has_own_id.then_some(account.id),
            trace: account.trace.as_ref(),
            began: self.began,
            client: self.client,
            port: self.port,
            script: self.script.as_deref(),
            queue_entry: self.queue_entry,
            endpoint: self.endpoint,
            deadline: &deadline,
            state: &state,
        };
        let outcome = watch.over(&deadline, pin!(exchange.run(body, client, response, up))).await;
        // The clock was read when the last piece of an answer was sent.
        let now = if matches!(outcome, Some(Ok(End::Answered))) { deadline.now() } else { deadline.look() };
        let (reason, after) = match outcome {
            Some(Ok(end)) => return self.report(&state, end, &account, now),
            Some(Err(Failure::ClientGone)) => {
                return self.report(&state, End::ClientGone, &account, now);
            }
            Some(Err(Failure::Upstream(reason, after))) => (reason, after),
            None if deadline.is_last() => (Reason::DeadlineExceeded, None),
            // An idle tunnel has ended, which is nobody's fault.
            None if state.phase.get() == Phase::Tunnelling => {
                return self.report(&state, End::Upgraded, &account, now);
            }
            None => (state.phase.get().too_long(), None),
        };
        // A program working on for nobody is no slow endpoint: reading its answer to the end takes time.
        let is_left = state.is_left.get();
        if !is_left
            && (reason == Reason::UpstreamTimeout || is_stalled(&state, reason))
            && let Some(endpoint) = &*state.endpoint.borrow()
        {
            self.proxy.upstream.report(endpoint, false);
        }
        if state.has_begun() && !is_left {
            return self.report(&state, End::Broken(reason), &account, now);
        }
        // Before the client can know, and ask again on another thread.
        if !is_left {
            report_to_breaker(&state, End::Local(reason), now);
        }
        // The place is free: nobody waits for this client to take its reply.
        drop(state.place.take());
        if is_left {
            return self.report(&state, End::ClientGone, &account, now);
        }
        self.name_cause(&state, reason);
        state.show();
        if client.failed(reason, after) {
            return self.report(&state, End::Local(reason), &account, now);
        }
        // An outbound's client is a program, which gets plain text.
        let words = match self.cache {
            Some(_) => {
                local_reply(response, (reason, after), self.proxy.error_page.as_deref(), self.request, account.id)
            }
            None => compose::local(response, reason, after),
        };
        state.status.set(reason.status());
        if !body.is_done() {
            client.ends();
        }
        let via = self.proxy.settings.via;
        let options = ResponseOptions { head: self.request.method == b"HEAD", close: false, via };
        let deadline = Deadline::of_local_reply(now);
        let end = match watch.over(&deadline, pin!(client.answer(response, &words, options))).await {
            Some(Ok(())) => End::Local(reason),
            _ => End::ClientGone,
        };
        self.report(&state, end, &account, deadline.look())
    }

    fn name_cause(&self, state: &RequestState<'_>, reason: Reason) {
        if state.cause.borrow().as_ref().is_some_and(|cause| cause.reason == reason) {
            return;
        }
        let endpoint = state.endpoint.borrow().clone();
        let mut cause = Cause::of_answer(reason, endpoint.clone(), &self.proxy.upstream);
        if self.proxy.script.is_some() && reason.is_upstreams() | (reason == Reason::BacklogFull) {
            let text = state.fastcgi.cause(cause.map(|cause| cause.text), reason);
            cause = Some(Cause { reason, endpoint, text });
        }
        if let Some(cause) = cause {
            *state.cause.borrow_mut() = Some(Box::new(cause));
        }
    }

    fn trace(&self) -> Option<Trace> {
        let sample = self.context.trace_sample.get()?;
        let mut given = self.request.fields.iter().filter(|field| field.id == Name::Traceparent);
        // Of two, nobody knows which is meant: that is none.
        let (first, second) = (given.next(), given.next());
        let only = first.filter(|_| second.is_none()).map(|field| field.value);
        Some(trace_context::incoming(only, sample))
    }

    fn report(&self, state: &RequestState<'_>, end: End, account: &Account<'_>, now: Instant) -> Finished {
        report_to_breaker(state, end, now);
        let endpoint = state.endpoint.borrow();
        if let End::Local(reason) | End::Broken(reason) = end {
            self.name_cause(state, reason);
        }
        state.show();
        let cause = state.cause.borrow();
        let record = RequestAccount {
            upstream: &self.proxy.upstream.settings().name,
            endpoint: endpoint.as_deref().map(|endpoint| &endpoint.address),
            method: &self.request.method,
            target: &self.request.target,
            authority: &self.request.authority,
            client_version: self.version,
            upstream_version: state.upstream_version.get(),
            status: state.status.get(),
            end,
            reuse: state.reuse.get(),
            attempts: state.attempts.get(),
            began: self.began,
            head: account.head,
            connected: state.connected.get(),
            first_byte: state.first_byte.get(),
            total: now.saturating_duration_since(self.began),
            bytes_in: state.bytes_in.get(),
            bytes_out: state.bytes_out.get(),
            client: account.address,
            fields: Some(&self.request.fields),
            request_id: account.id,
            trace: account.trace,
            cache: self.cache,
            cause: cause.as_deref(),
            fetched: None,
        };
        if cause.is_none()
            && let Some(text) = state.fastcgi.on_stderr()
        {
            self.context.observability.said(&record, &text);
        }
        match account.is_fetch {
            true => self.context.observability.fetched(&record, self.index),
            false => self.context.observability.observe(&record, self.index),
        }
        (end, now)
    }
}

/// Whether the total time ended while an answer was waited for.
fn is_stalled(state: &RequestState<'_>, reason: Reason) -> bool {
    reason == Reason::DeadlineExceeded && state.phase.get() == Phase::Waiting
}

fn report_to_breaker(state: &RequestState<'_>, end: End, now: Instant) {
    let is_good = match end {
        End::Answered => !matches!(state.status.get(), 502..=504),
        End::Upgraded => true,
        End::Local(reason) | End::Broken(reason) if reason.is_upstreams() || is_stalled(state, reason) => false,
        // They say nothing of the upstream, or it was never asked.
        End::Local(_) | End::Broken(_) | End::ClientGone => return,
    };
    if let Some(in_flight) = &mut *state.in_flight.borrow_mut() {
        in_flight.report(is_good, now);
    }
}
