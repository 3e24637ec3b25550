//! [`InboundRequest::run`]: answers a request to a site from memory, by the application, or not at all. `phase` has the
//! map.

use std::rc::Rc;
use std::time::Instant;

use unladen_cache::{Forwarded, RequestControl, Time, write_key};
use unladen_http1::Request;
use unladen_observability::{CacheResult, End, Reason};

use super::inbound_request::{ClientSide, InboundRequest};
use super::wait::Waited;
use crate::cache::cache_lookup::{CacheLookup, Decision, UNCACHEABLE, eligible};
use crate::cache::response_policy::{Lifting, ResponsePolicy, copy_of, is_unsafe};
use crate::limits::queue::QueueEntry;
use crate::limits::rates::{Asker, Counting};
use crate::site::prepare::{Who, prepare};
use crate::transaction::Transaction;

/// Times a request waits for others' answers before it goes to the application itself.
const ROUNDS: usize = 3;

impl InboundRequest<'_> {
    pub(crate) async fn run(self, request: &mut Request, client_side: &mut ClientSide<'_, '_>) -> (End, Instant) {
        let who = match self.admit(request, client_side).await {
            Ok(who) => who,
            Err(ended) => return ended,
        };
        match &self.site.routes {
            None => self.answer(request, client_side, who).await,
            Some(routes) => self.routed(routes, request, client_side, who).await,
        }
    }

    /// First steps of every request: who asks, its rate, and PURGE, which ends here. The error says how it ended.
    pub(super) async fn admit(
        &self,
        request: &mut Request,
        client_side: &mut ClientSide<'_, '_>,
    ) -> Result<Who, (End, Instant)> {
        let peer = match &self.site.tier {
            Some(tier) => self.meet(tier, request),
            None => self.peer,
        };
        let who = prepare(self.site, request, &peer);
        self.client.set(who.address);
        if let Some(tier) = &self.site.tier {
            self.sign(tier, request);
            // Counted where it came from.
            if self.is_for_peer() {
                return Ok(who);
            }
        }
        let mut rates = self.site.proxy.rates.take(request, Counting::Coming, self.began);
        if let (Ok(()), Some(shared)) = (&rates, &self.site.proxy.rates.shared) {
            let asker = Asker { request, client: who.address, thread: self.context.thread, now: self.began };
            rates = shared.ask(asker, Counting::Coming).await;
        }
        if let Err(after) = rates.and_then(|()| self.site.crowd.ask(who.address, true, self.began)) {
            return Err(self.own(request, client_side, Reason::RateLimited, Some(after), who).await);
        }
        if request.method == b"PURGE"
            && let Some(cache) = &self.site.cache
        {
            return Err(self.purge(cache, request, client_side, who).await);
        }
        Ok(who)
    }

    pub(crate) async fn answer(
        &self,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
    ) -> (End, Instant) {
        let Some(cache) = &self.site.cache else { return self.pass(request, client_side, who, None, "").await };
        if !self.is_cached {
            return self.pass(request, client_side, who, Some(Forwarded::Bypass), "route").await;
        }
        let mut control = match eligible(request, who) {
            Ok(control) => control,
            Err((forwarded, why)) => return self.pass(request, client_side, who, Some(forwarded), why).await,
        };
        if cache.settings.ignore_reload {
            control = RequestControl { no_cache: false, max_age: None, min_fresh: None, ..control };
        }
        client_side.key.clear();
        write_key(request, who.is_https, &cache.policy, client_side.key);
        let has_cookies = cache.policy.has_cookies(&request.fields);
        let is_authorized = request.fields.find(b"authorization").is_some();
        // Nodes do not ask each other for personal pages.
        if self.is_for_peer() && (has_cookies || is_authorized) {
            return self.refuse_peer(request, client_side, false, who).await;
        }
        // Before anything is looked up: the result must not predate the peer's purges.
        if self.is_behind(cache) {
            return self.refuse_peer(request, client_side, true, who).await;
        }
        let known = match self.ask(request, who).await {
            Ok(known) => known,
            Err(reason) => return self.own(request, client_side, reason, None, who).await,
        };
        let is_leaving = cache.successor.serves();
        // Before anything is looked up: the result must date from when this node could still rely on it.
        let is_cut_off = cache.is_cut_off(self.began);
        let cache_lookup =
            CacheLookup { cache, request, who, control, known, has_cookies, is_authorized, is_leaving, is_cut_off };
        // What another's answer turned out to vary by.
        let mut told_apart: Option<Vec<u8>> = None;
        if self.context.budget.is_lent_out() && !self.is_lent(client_side).await {
            return self.gone(&cache_lookup);
        }
        for _ in 0..ROUNDS {
            let found = cache_lookup.look(client_side.key, client_side.variant);
            let forwarded = match cache_lookup.decide(&found, client_side.key, Time::now()) {
                Decision::Fetch(_) if self.is_looped.get() => {
                    return self.own(request, client_side, Reason::LoopDetected, None, who).await;
                }
                Decision::Fetch(_) if self.asked_by.get().is_some_and(|question| question.only_stored) => {
                    return self.refuse_peer(request, client_side, false, who).await;
                }
                Decision::Fetch(forwarded) => forwarded,
                Decision::Pass(forwarded, why) => {
                    let lifting = if why == UNCACHEABLE { Lifting::of(&cache_lookup, client_side.key) } else { None };
                    return self.pass_on(request, client_side, who, (Some(forwarded), why), lifting).await;
                }
                Decision::Own(reason) => return self.own(request, client_side, reason, None, who).await,
                Decision::Serve(result, why) => {
                    let Some(stored) = &found.stored else { break };
                    return self.respond_cached(&cache_lookup, client_side, stored, (result, why), (None, None)).await;
                }
                Decision::ServeAndFetch => {
                    let Some(stored) = &found.stored else { break };
                    self.fetch_behind(&cache_lookup, client_side, stored);
                    return self
                        .respond_cached(&cache_lookup, client_side, stored, (CacheResult::Stale, ""), (None, None))
                        .await;
                }
            };
            match self.wait(&cache_lookup, client_side, &found, forwarded, told_apart.take()).await {
                Waited::Ended(end, now) => return (end, now),
                Waited::NotForAll => break,
                Waited::Another(variant) => told_apart = Some(variant),
            }
        }
        self.pass(request, client_side, who, Some(Forwarded::UriMiss), "not-shared").await
    }

    /// Passes the request to the application, and its answer to the client.
    pub(crate) async fn pass(
        &self,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
        forwarded: Option<Forwarded>,
        why: &'static str,
    ) -> (End, Instant) {
        self.pass_on(request, client_side, who, (forwarded, why), None).await
    }

    async fn pass_on(
        &self,
        request: &Request,
        client_side: &mut ClientSide<'_, '_>,
        who: Who,
        (forwarded, why): (Option<Forwarded>, &'static str),
        lifting: Option<Lifting>,
    ) -> (End, Instant) {
        if self.is_for_peer() {
            return self.refuse_peer(request, client_side, false, who).await;
        }
        if self.is_looped.get() {
            return self.own(request, client_side, Reason::LoopDetected, None, who).await;
        }
        let places = self.upload(request, client_side, who).and_then(|upload| Ok((upload, self.go(who)?)));
        let _places = match places {
            Ok(places) => places,
            Err((reason, after)) => return self.own(request, client_side, reason, after, who).await,
        };
        let touch = ResponsePolicy {
            site: self.site.clone(),
            is_https: who.is_https,
            forwarded,
            why,
            lifting,
            unsafe_request: is_unsafe(request).then(|| copy_of(request)),
            is_done: false.into(),
        };
        client_side.client.set_touch(Rc::new(touch));
        self.compress(request, client_side);
        let transaction = Transaction {
            context: self.context,
            proxy: self.proxy,
            index: self.index,
            request,
            version: self.version,
            began: self.began,
            now: self.now,
            cache: Some((CacheResult::Pass, why)),
            client: who.address,
            port: self.peer.port.filter(|_| who.address == self.peer.address),
            script: self.script.borrow().clone(),
            fetched: None,
            queue_entry: QueueEntry { flow: self.flow(request, who), ..QueueEntry::default() },
            endpoint: None,
        };
        transaction
            .run(
                client_side.watch,
                client_side.body,
                client_side.client,
                client_side.response,
                client_side.up,
                client_side.id,
            )
            .await
    }
}
