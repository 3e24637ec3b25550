//! The last stage: sends stored responses ([`InboundRequest::send_cached`]) and local replies, and reports what was
//! sent.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use unladen_cache::{CacheStatus, Stored, Time};
use unladen_http1::{Length, Name, Request};
use unladen_observability::{CacheResult, End, FetchRecord, Reason, RequestAccount, request_id};

use super::admit::InboundRequest;
use crate::cache::cache_lookup::CacheLookup;
use crate::cache::cached_response::CachedResponse;
use crate::cache::response_policy::{NAME, is_unsafe};
use crate::message::compose;
use crate::message::downstream::{ClientSide, ResponseOptions};
use crate::message::error_page::local_reply;
use crate::message::stream::{BodySource, Pump, PumpError, SinkError};
use crate::request::Finished;
use crate::request::watch::{Deadline, Stretch};

/// What was sent to a client, and how that ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    end: End,
    status: u16,
    bytes: u64,
    has_begun: bool,
    /// `None` if nothing was to be sent.
    start: Option<Instant>,
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
    /// Answers with a stored response. `status` and `hops`: details for `Cache-Status`, and what precedes them there.
    pub(super) async fn send_cached(
        &self,
        lookup: &CacheLookup<'_>,
        to: &mut ClientSide<'_, '_>,
        stored: &Arc<Stored>,
        result: (CacheResult, &'static str),
        (status, hops): (Option<CacheStatus<'_>>, Option<&[u8]>),
    ) -> Finished {
        let age = stored.freshness.age(Time::now()).as_secs();
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
        to.more.clear();
        to.more.push_known(Name::Other, b"age", compose::digits(age, &mut [0; 20]));
        if let Some(hops) = hops.filter(|hops| !hops.is_empty()) {
            to.more.push(b"cache-status", hops);
        }
        // A hit allocates nothing: the upstream buffer is free.
        to.up.clear();
        CacheStatus { ttl, ..status }.write(NAME, to.up);
        to.more.push_known(Name::Other, b"cache-status", to.up);
        self.add_own(to);
        self.add_for_peer(to, stored.version.as_deref());
        let coder = (self.site.settings.compress && !self.is_for_peer()).then_some(lookup.cache);
        let cached = CachedResponse::of(stored, lookup.request, to.key, coder);
        let from = match lookup.request.method == b"HEAD" || cached.body.is_empty() {
            true => BodySource::Empty,
            false => BodySource::Memory(cached.body.clone()),
        };
        let sent = self.send(lookup.request, to, from, Some(&cached), result.0).await;
        self.report(lookup.request, &sent, result)
    }

    /// Sends a stored answer, or the one in `to.response`.
    pub(super) async fn send(
        &self,
        request: &Request,
        to: &mut ClientSide<'_, '_>,
        mut from: BodySource<'_>,
        cached: Option<&CachedResponse<'_>>,
        result: CacheResult,
    ) -> Sent {
        let is_fetched = matches!(from, BodySource::Fetch(_));
        let idle = self.proxy.upstream.settings().timeouts.idle;
        let options = self.options(request);
        // Nothing was waited for if there was nobody to ask; otherwise the clock has to be read again.
        let is_at_once = match result {
            CacheResult::Hit => self.site.validators.is_empty(),
            CacheResult::File => true,
            _ => false,
        };
        let start = if is_at_once { self.now } else { Instant::now() };
        let deadline = Deadline::new(start, idle, None);
        let ClientSide { watch, body, client, response, more, .. } = to;
        let status = cached.map_or(response.status, |cached| cached.status);
        let sink = match cached {
            Some(cached) => client.respond_cached(cached, more, options, self.now),
            None => client.respond(response, options, self.now),
        };
        let mut pump = Pump::default();
        let (pace, mut slow) = (self.proxy.settings.client.answer_pace, Stretch::default());
        let (mut coded, mut has_begun) = (None, false);
        let ended = match sink {
            Err(()) => Err(End::ClientGone),
            Ok(mut sink) => {
                let sending = poll_fn(|cx| {
                    let sent = pump.poll(cx, &mut from, &mut sink, None);
                    if sent.is_pending() {
                        if pump.has_moved() {
                            deadline.renew(idle);
                        }
                        if is_fetched && !pump.is_held_up {
                            // The fetch has the same bound, and says why it ended.
                            deadline.set(idle + BEYOND);
                        }
                        deadline.until(slow.until(pace, pump.is_held_up, deadline.now(), pump.bytes));
                        if body.poll_gone(cx) || sink.poll_gone(cx) {
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
                (coded, has_begun) = (sink.coded_bytes(), sink.has_sent());
                let is_clients = pump.is_held_up || !is_fetched;
                let too_long = if is_clients { Reason::ClientTimeout } else { Reason::UpstreamTimeout };
                sent.unwrap_or(Err(End::Broken(too_long)))
            }
        };
        let end = ended.err().unwrap_or(End::Answered);
        let now = if from.is_done() && end == End::Answered { deadline.now() } else { deadline.look() };
        Sent { end, status, bytes: coded.unwrap_or(pump.bytes), has_begun, start: Some(start), now }
    }

    fn why_broken(&self) -> Reason {
        let fetched = self.fetched.borrow();
        let cause = fetched.as_ref().and_then(|fetched| fetched.cause.borrow().as_ref().map(|cause| cause.reason));
        cause.unwrap_or(Reason::UpstreamClosed)
    }

    fn options(&self, request: &Request) -> ResponseOptions {
        ResponseOptions { head: request.method == b"HEAD", close: false, via: self.proxy.settings.via }
    }

    pub(super) async fn send_local_reply(
        &self,
        request: &Request,
        to: &mut ClientSide<'_, '_>,
        reason: Reason,
        after: Option<Duration>,
    ) -> Finished {
        // The application has not failed the peer, which asks its own.
        let reason = if self.is_for_peer() { Reason::NotForPeers } else { reason };
        let after = after.or_else(|| matches!(reason.status(), 429 | 503).then_some(self.site.settings.retry_after));
        let id = self.identify(request);
        let page = self.proxy.error_page.as_deref();
        let words = local_reply(to.response, (reason, after), page, request, &id);
        let fields = &mut to.response.fields;
        let is_https = self.who.get().is_https;
        self.site.add_own(fields, is_https);
        // A request without an answer may have been done all the same.
        if let Some(author) = self.site.author.as_ref().filter(|_| is_unsafe(request)) {
            author.mark(fields, is_https);
        }
        if let Some(challenge) = self.challenge.get() {
            fields.push(b"www-authenticate", challenge);
        }
        self.send_text(request, to, &words, (End::Local(reason), reason.as_str())).await
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
    pub(super) fn begin_reply(&self, status: u16, to: &mut ClientSide<'_, '_>) {
        let response = &mut *to.response;
        response.status = status;
        response.minor = 1;
        response.length = Length::Exact(0);
        response.fields.clear();
        self.site.add_own(&mut response.fields, self.who.get().is_https);
    }

    pub(super) async fn send_redirect(
        &self,
        status: u16,
        url: &[u8],
        request: &Request,
        to: &mut ClientSide<'_, '_>,
    ) -> Finished {
        self.begin_reply(status, to);
        to.response.fields.push(b"location", url);
        to.response.fields.push(b"content-length", b"0");
        self.send_text(request, to, "", (End::Answered, "redirect")).await
    }

    /// Sends the answer in `to.response` with this text, and why it is local.
    pub(super) async fn send_text(
        &self,
        request: &Request,
        to: &mut ClientSide<'_, '_>,
        words: &str,
        (end, why): (End, &'static str),
    ) -> Finished {
        let options = self.options(request);
        let bytes = if options.head { 0 } else { words.len() as u64 };
        let start = Instant::now();
        let deadline = Deadline::of_local_reply(start);
        let status = to.response.status;
        let end = if to.answer(words, options, &deadline).await { end } else { End::ClientGone };
        let sent = Sent { end, status, bytes, has_begun: true, start: Some(start), now: deadline.look() };
        self.report(request, &sent, (CacheResult::Own, why))
    }

    /// Fields of all answers, which peers add themselves.
    pub(super) fn add_own(&self, to: &mut ClientSide<'_, '_>) {
        if !self.is_for_peer() {
            self.site.add_own(to.more, self.who.get().is_https);
        }
    }

    pub(super) fn report_gone(&self, lookup: &CacheLookup<'_>) -> Finished {
        let (end, now) = (End::ClientGone, Instant::now());
        let sent = Sent { end, status: 0, bytes: 0, has_begun: false, start: None, now };
        self.report(lookup.request, &sent, (CacheResult::Miss, ""))
    }

    pub(super) fn report(&self, request: &Request, sent: &Sent, cache: (CacheResult, &'static str)) -> Finished {
        let Sent { end, status, bytes, start, now, .. } = *sent;
        let total = now.saturating_duration_since(self.began);
        let own_id = self.own_id.borrow();
        let id = request.fields.get(Name::XRequestId).unwrap_or(&own_id);
        let own_cause = self.cause.borrow();
        let fetched = self.fetched.borrow();
        let fetched = fetched.as_deref();
        let endpoint = fetched.and_then(|fetched| fetched.endpoint.borrow().clone());
        let cause = fetched.and_then(|fetched| fetched.cause.borrow().clone());
        let fetched_id = fetched.map(|fetched| fetched.request_id.borrow());
        let account = RequestAccount {
            method: &request.method,
            target: &request.target,
            authority: &request.authority,
            client_version: self.version,
            head: self.now.saturating_duration_since(self.began),
            first_byte: start.map(|at| at.saturating_duration_since(self.began)),
            bytes_out: bytes,
            client: self.who.get().address.or(self.peer.address),
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
        self.context.observability.observe(&account, self.index);
        (end, now)
    }
}
