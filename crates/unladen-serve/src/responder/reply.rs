//! A site's own answers: from memory, or errors.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use unladen_cache::{CacheStatus, Stored, Time};
use unladen_http1::{Length, Name, Request};
use unladen_observability::{CacheResult, End, FetchRecord, Reason, RequestAccount, request_id};

use super::inbound_request::{ClientSide, InboundRequest};
use crate::cache::cache_lookup::CacheLookup;
use crate::cache::cached_response::{CachedResponse, memory};
use crate::cache::response_policy::{NAME, is_unsafe};
use crate::limits::budget::Claim;
use crate::message::compose;
use crate::message::downstream::ResponseOptions;
use crate::message::error_page::local_reply;
use crate::message::stream::{BodySource, Pump, PumpError, SinkError};
use crate::request::watch::{Deadline, Stretch};
use crate::site::prepare::Who;

#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    end: End,
    bytes: u64,
    has_begun: bool,
    start: Instant,
    now: Instant,
}

/// Extra time for a waiting client beyond the fetch's own timeout.
const BEYOND: Duration = Duration::from_secs(2);

impl Sent {
    /// Why it broke off, if nothing was sent, so that another answer can be.
    pub(super) fn unbegun(&self) -> Option<Reason> {
        match self.end {
            End::Broken(reason) if !self.has_begun && reason != Reason::ClientTimeout => Some(reason),
            _ => None,
        }
    }
}

impl InboundRequest<'_> {
    /// Answers with a stored response. `told`: details for `Cache-Status`, and what precedes them there.
    pub(crate) async fn respond_cached(
        &self,
        cache_lookup: &CacheLookup<'_>,
        client_side: &mut ClientSide<'_, '_>,
        stored: &Arc<Stored>,
        result: (CacheResult, &'static str),
        (status, hops): (Option<CacheStatus<'_>>, Option<&[u8]>),
    ) -> (End, Instant) {
        let now = Time::now();
        let age = stored.freshness.age(now).as_secs();
        let ttl = stored.freshness.lifetime.as_secs().cast_signed().saturating_sub(age.cast_signed());
        let status = status.unwrap_or(CacheStatus {
            hit: true,
            detail: match result {
                (CacheResult::Validated, _) => Some("validated"),
                (_, "") => None,
                (_, why) => Some(why),
            },
            ..CacheStatus::default()
        });
        let ttl = (result.0 != CacheResult::Validated).then_some(ttl);
        client_side.more.clear();
        client_side.more.push_known(Name::Other, b"age", compose::digits(age, &mut [0; 20]));
        if let Some(hops) = hops.filter(|hops| !hops.is_empty()) {
            client_side.more.push(b"cache-status", hops);
        }
        // A hit allocates nothing: the upstream buffer is free.
        client_side.up.clear();
        CacheStatus { ttl, ..status }.write(NAME, client_side.up);
        client_side.more.push_known(Name::Other, b"cache-status", client_side.up);
        self.add_own(client_side, cache_lookup.who);
        self.tell_peer(client_side, stored.version.as_deref());
        let memory = memory(self.site, client_side.key, cache_lookup.request, stored, !self.is_for_peer());
        let from = match cache_lookup.request.method == b"HEAD" || memory.body.is_empty() {
            true => BodySource::Empty,
            false => BodySource::Memory(memory.body.clone()),
        };
        let status = memory.status;
        let sent = self.send(cache_lookup.request, client_side, from, Some(&memory), result.0).await;
        self.sent(cache_lookup.request, &sent, status, result)
    }

    /// Waits until enough lent memory is released; whether it was. To be called before looking into the store: a wait
    /// with a stored response in hand keeps it in memory.
    #[cold]
    pub(crate) async fn is_lent(&self, client_side: &mut ClientSide<'_, '_>) -> bool {
        let ClientSide { watch, body, client, .. } = client_side;
        let Some(share) = client.share().cloned() else { return true };
        let mut claim = Claim::new(share);
        let deadline = Deadline::of_local_reply(Instant::now());
        let waiting = poll_fn(|cx| {
            if client.poll_gone(cx, body) {
                return Poll::Ready(false);
            }
            claim.poll_lent(cx).map(|()| true)
        });
        watch.over(&deadline, pin!(waiting)).await.unwrap_or(false)
    }

    pub(super) fn sent(
        &self,
        request: &Request,
        sent: &Sent,
        status: u16,
        result: (CacheResult, &'static str),
    ) -> (End, Instant) {
        self.tell(request, sent.end, status, sent.bytes, result, Some(sent.start), sent.now)
    }

    /// Sends a stored answer, or the one in `client_side.response`.
    pub(super) async fn send(
        &self,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        mut from: BodySource<'_>,
        memory: Option<&CachedResponse<'_>>,
        result: CacheResult,
    ) -> Sent {
        let is_fetched = matches!(from, BodySource::Fetch(_));
        let idle = self.proxy.upstream.settings().timeouts.idle;
        let is_head = request.method == b"HEAD";
        let options = ResponseOptions { head: is_head, close: false, via: self.proxy.settings.via };
        // Nothing was waited for if there was nobody to ask; otherwise the clock has to be read again.
        let is_at_once = match result {
            CacheResult::Hit => self.site.validators.is_empty(),
            CacheResult::File => true,
            _ => false,
        };
        let start = if is_at_once { self.now } else { Instant::now() };
        let deadline = Deadline::new(start, idle, None);
        let ClientSide { watch, body, client, response, more, .. } = client_side;
        let to = match memory {
            Some(memory) => client.remember(memory, more, options, self.now),
            None => client.respond(response, options, self.now),
        };
        let mut pump = Pump::default();
        let (pace, mut slow) = (self.proxy.settings.client.answer_pace, Stretch::default());
        let (mut coded, mut has_begun) = (None, false);
        let ended = match to {
            Err(()) => Err(End::ClientGone),
            Ok(mut to) => {
                let sending = poll_fn(|cx| {
                    let sent = pump.poll(cx, &mut from, &mut to, None);
                    if sent.is_pending() {
                        if pump.has_moved() {
                            deadline.renew(idle);
                        }
                        if is_fetched && !pump.is_held_up {
                            // The fetch has the same bound, and says why it ended.
                            deadline.set(idle + BEYOND);
                        }
                        deadline.until(slow.until(pace, pump.is_held_up, deadline.now(), pump.bytes));
                        if body.poll_gone(cx) || to.poll_gone(cx) {
                            return Poll::Ready(Err(End::ClientGone));
                        }
                    }
                    sent.map_err(|error| match error {
                        PumpError::Source(_) | PumpError::Sink(SinkError::Shrunk) if result == CacheResult::File => {
                            End::Broken(Reason::FileFailed)
                        }
                        PumpError::Source(_) | PumpError::TooLarge => End::Broken(self.why_broken()),
                        PumpError::Sink(_) => End::ClientGone,
                    })
                });
                let sent = watch.over(&deadline, pin!(sending)).await;
                (coded, has_begun) = (to.coded(), to.has_sent());
                let is_clients = pump.is_held_up || !is_fetched;
                let too_long = if is_clients { Reason::ClientTimeout } else { Reason::UpstreamTimeout };
                sent.unwrap_or(Err(End::Broken(too_long)))
            }
        };
        let end = ended.err().unwrap_or(End::Answered);
        let now = if from.is_done() && end == End::Answered { deadline.now() } else { deadline.look() };
        Sent { end, bytes: coded.unwrap_or(pump.bytes), has_begun, start, now }
    }

    fn why_broken(&self) -> Reason {
        let fetched = self.fetched.borrow();
        let cause = fetched.as_ref().and_then(|fetched| fetched.cause.borrow().as_ref().map(|cause| cause.reason));
        cause.unwrap_or(Reason::UpstreamClosed)
    }

    pub(crate) async fn own(
        &self,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        reason: Reason,
        after: Option<Duration>,
        who: Who,
    ) -> (End, Instant) {
        // The application has not failed the peer, which asks its own.
        let reason = if self.is_for_peer() { Reason::NotForPeers } else { reason };
        let after = after.or_else(|| matches!(reason.status(), 429 | 503).then_some(self.site.settings.retry_after));
        let id = self.identify(request);
        let page = self.proxy.error_page.as_deref();
        let words = local_reply(client_side.response, (reason, after), page, request, &id);
        client_side.more.clear();
        self.site.add_own(client_side.more, who.is_https);
        // A request without an answer may have been done all the same.
        if let Some(author) = self.site.author.as_ref().filter(|_| is_unsafe(request)) {
            author.mark(client_side.more, who.is_https);
        }
        if let Some(challenge) = self.challenge.get() {
            client_side.more.push(b"www-authenticate", challenge);
        }
        for field in client_side.more.iter() {
            client_side.response.fields.push(field.name, field.value);
        }
        self.say(request, client_side, &words, (End::Local(reason), reason.as_str())).await
    }

    /// Identifier by which a local reply is found in the log.
    fn identify(&self, request: &Request) -> Vec<u8> {
        let fetched = self.fetched.borrow();
        let fetched = fetched.as_ref().map(|fetched| fetched.request_id.borrow().clone());
        if let Some(id) = fetched.filter(|id| !id.is_empty()) {
            return id;
        }
        if let Some(given) = request.fields.get(Name::XRequestId) {
            return given.to_vec();
        }
        let mut id = self.own_id.borrow_mut();
        if id.is_empty() && self.proxy.settings.request_id {
            request_id(&mut id);
        }
        id.clone()
    }

    /// Begins a reply without a body that the settings give.
    pub(super) fn begin_own(&self, status: u16, client_side: &mut ClientSide<'_, '_>, who: Who) {
        let response = &mut *client_side.response;
        response.status = status;
        response.minor = 1;
        response.length = Length::Exact(0);
        response.fields.clear();
        self.site.add_own(&mut response.fields, who.is_https);
    }

    /// Sends the answer in `client_side.response` with this text, and why it is local.
    pub(crate) async fn say(
        &self,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        words: &str,
        (end, why): (End, &'static str),
    ) -> (End, Instant) {
        if !client_side.body.is_done() {
            client_side.client.ends();
        }
        let via = self.proxy.settings.via;
        let is_head = request.method == b"HEAD";
        let options = ResponseOptions { head: is_head, close: false, via };
        let bytes_out = if is_head { 0 } else { words.len() as u64 };
        let start = Instant::now();
        let deadline = Deadline::of_local_reply(start);
        let status = client_side.response.status;
        let answering = client_side.client.answer(client_side.response, words, options);
        let answered = client_side.watch.over(&deadline, pin!(answering)).await;
        let end = if answered == Some(Ok(())) { end } else { End::ClientGone };
        self.tell(request, end, status, bytes_out, (CacheResult::Own, why), Some(start), deadline.look())
    }

    /// Fields of all answers, which peers add themselves.
    pub(crate) fn add_own(&self, client_side: &mut ClientSide<'_, '_>, who: Who) {
        if !self.is_for_peer() {
            self.site.add_own(client_side.more, who.is_https);
        }
    }

    pub(crate) fn gone(&self, cache_lookup: &CacheLookup<'_>) -> (End, Instant) {
        self.tell(cache_lookup.request, End::ClientGone, 0, 0, (CacheResult::Miss, ""), None, Instant::now())
    }

    #[allow(clippy::too_many_arguments, reason = "they are what is known at the end, and nowhere else")]
    fn tell(
        &self,
        request: &Request,
        end: End,
        status: u16,
        bytes_out: u64,
        cache: (CacheResult, &'static str),
        first_byte: Option<Instant>,
        now: Instant,
    ) -> (End, Instant) {
        let total = now.saturating_duration_since(self.began);
        let own_id = self.own_id.borrow();
        let id = request.fields.get(Name::XRequestId).unwrap_or(&own_id);
        let own_cause = self.cause.borrow();
        let fetched = self.fetched.borrow();
        let fetched = fetched.as_deref();
        let endpoint = fetched.and_then(|fetched| fetched.endpoint.borrow().clone());
        let cause = fetched.and_then(|fetched| fetched.cause.borrow().clone());
        let fetched_id = fetched.map(|fetched| fetched.request_id.borrow());
        let record = RequestAccount {
            method: &request.method,
            target: &request.target,
            authority: &request.authority,
            client_version: self.version,
            head: self.now.saturating_duration_since(self.began),
            first_byte: first_byte.map(|at| at.saturating_duration_since(self.began)),
            bytes_out,
            client: self.client.get().or(self.peer.address),
            fields: Some(&request.fields),
            request_id: id,
            cache: Some(cache),
            cause: own_cause.as_deref(),
            fetched: fetched.map(|fetched| FetchRecord {
                endpoint: endpoint.as_deref().map(|endpoint| &endpoint.address),
                upstream_version: fetched.upstream_version.get(),
                reuse: fetched.reuse.get(),
                attempts: fetched.attempts.get(),
                request_id: fetched_id.as_deref().map_or(&[][..], Vec::as_slice),
                cause: cause.as_deref(),
            }),
            ..RequestAccount::unasked(&self.proxy.upstream.settings().name, status, end, self.began, total)
        };
        self.context.observability.observe(&record, self.index);
        (end, now)
    }
}
