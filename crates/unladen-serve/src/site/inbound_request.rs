//! The principal type is [`InboundRequest`]: a request to a site, answered from memory, by the application, or not at
//! all. `phase` has the map.

use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_cache::{Accepted, Forwarded, RequestControl, Time, write_key};
use unladen_http1::{Fields, Length, Request, Response};
use unladen_observability::{CacheResult, End, Reason, UpstreamIndex, Version};

use super::Site;
use super::cache_fetch::is_not_to_be_transformed;
use super::cache_lookup::{CacheLookup, Decision, UNCACHEABLE};
use super::cached_response::joined;
use super::crowd::{CrowdPermit, What};
use super::eligible::eligible;
use super::prepare::{Who, prepare};
use super::response_policy::{Lifting, ResponsePolicy, copy_of, is_unsafe};
use super::wait::Waited;
use crate::client::Client;
use crate::context::Context;
use crate::fetched::Fetched;
use crate::rates::Counting;
use crate::stream::BodySource;
use crate::transaction::Transaction;
use crate::watch::Watch;

/// A request to a site.
pub(crate) struct InboundRequest<'a> {
    pub(crate) context: &'a Rc<Context>,
    pub(crate) site: &'a Arc<Site>,
    pub(crate) index: UpstreamIndex,
    pub(crate) version: Version,
    /// When the head's first byte was read …
    pub(crate) began: Instant,
    /// … and its last.
    pub(crate) now: Instant,
    pub(crate) peer: Peer,
    /// For whom it is, once that is known.
    pub(crate) client: Cell<Option<IpAddr>>,
    /// What became of what was fetched for it.
    pub(crate) fetched: RefCell<Option<Rc<Fetched>>>,
}

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peer {
    /// None: it is a Unix socket.
    pub(crate) address: Option<IpAddr>,
    pub(crate) is_https: bool,
}

/// What a call works with.
pub(crate) struct ClientSide<'d, 'c> {
    pub(crate) watch: &'d mut Watch,
    pub(crate) body: &'d mut BodySource<'c>,
    pub(crate) client: &'d mut Client<'c>,
    pub(crate) response: &'d mut Response,
    pub(crate) up: &'d mut Vec<u8>,
    pub(crate) id: &'d mut Vec<u8>,
    pub(crate) key: &'d mut Vec<u8>,
    pub(crate) variant: &'d mut Vec<u8>,
    pub(crate) more: &'d mut Fields,
}

/// A request waits for another's answer so often; then it goes to the application itself.
const ROUNDS: usize = 3;

// === impl InboundRequest ===

impl InboundRequest<'_> {
    /// How it ended, and when.
    pub(crate) async fn run(self, request: &mut Request, client_side: &mut ClientSide<'_, '_>) -> (End, Instant) {
        let who = prepare(self.site, request, &self.peer);
        self.client.set(who.address);
        let request = &*request;
        let rates = self.site.proxy.rates.take(request, Counting::Coming, self.began);
        if let Err(after) = rates.and_then(|()| self.site.crowd.ask(who.address, true, self.began)) {
            return self.own(request, client_side, Reason::RateLimited, Some(after), who).await;
        }
        let Some(cache) = &self.site.cache else { return self.pass(request, client_side, who, None, "").await };
        if request.method == b"PURGE" {
            return self.purge(cache, request, client_side, who).await;
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
        let known = match self.ask(request, who).await {
            Ok(known) => known,
            Err(reason) => return self.own(request, client_side, reason, None, who).await,
        };
        let is_leaving = self.context.is_draining.get();
        let cache_lookup = CacheLookup { cache, request, who, control, known, has_cookies, is_authorized, is_leaving };
        // What another's answer turned out to depend on.
        let mut told_apart: Option<Vec<u8>> = None;
        if self.context.budget.is_lent_out() && !self.is_lent(client_side).await {
            return self.gone(&cache_lookup);
        }
        for _ in 0..ROUNDS {
            let found = cache_lookup.look(client_side.key, client_side.variant);
            let forwarded = match cache_lookup.decide(&found, client_side.key, Time::now()) {
                Decision::Fetch(forwarded) => forwarded,
                Decision::Pass(forwarded, why) => {
                    let lifting = if why == UNCACHEABLE { Lifting::of(&cache_lookup, client_side.key) } else { None };
                    return self.pass_on(request, client_side, who, (Some(forwarded), why), lifting).await;
                }
                Decision::Own(reason) => return self.own(request, client_side, reason, None, who).await,
                Decision::Serve(result, why) => {
                    let Some(stored) = &found.stored else { break };
                    return self.respond_cached(&cache_lookup, client_side, stored, (result, why), None).await;
                }
                Decision::ServeAndFetch => {
                    let Some(stored) = &found.stored else { break };
                    self.fetch_behind(&cache_lookup, client_side, stored);
                    return self
                        .respond_cached(&cache_lookup, client_side, stored, (CacheResult::Stale, ""), None)
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

    /// Straight to the application, and its answer straight to the client.
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
            proxy: &self.site.proxy,
            index: self.index,
            request,
            version: self.version,
            began: self.began,
            now: self.now,
            cache: Some((CacheResult::Pass, why)),
            client: who.address,
            fetched: None,
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

    /// The answer is compressed on its way, if it may be, also for the client (RFC 9111, section 5.2.1.6).
    pub(crate) fn compress(&self, request: &Request, client_side: &mut ClientSide<'_, '_>) {
        if self.site.settings.compress && !is_not_to_be_transformed(&request.fields) {
            client_side.client.set_codings(Accepted::of(joined(&request.fields, b"accept-encoding").as_deref()));
        }
    }

    /// A place among this client's requests at the application.
    pub(crate) fn place(&self, who: Who) -> Result<Option<CrowdPermit>, Reason> {
        let Some(address) = who.address else { return Ok(None) };
        self.site.crowd.enter(address, What::Requests).map(Some).ok_or(Reason::TooManyOfClient)
    }

    /// The same for one that goes there, and counts; an error may say when to come again.
    pub(crate) fn go(&self, who: Who) -> Result<Option<CrowdPermit>, (Reason, Option<Duration>)> {
        let asked = self.site.crowd.ask(who.address, false, self.began);
        asked.map_err(|after| (Reason::RateLimited, Some(after)))?;
        self.place(who).map_err(|reason| (reason, None))
    }

    /// A place among its uploads, if it is one: what came with the head takes none.
    fn upload(
        &self,
        request: &Request,
        client_side: &ClientSide<'_, '_>,
        who: Who,
    ) -> Result<Option<CrowdPermit>, (Reason, Option<Duration>)> {
        let Some(address) = who.address else { return Ok(None) };
        if matches!(request.length, Length::None | Length::Exact(0)) || client_side.body.holds(request.length) {
            return Ok(None);
        }
        let place = self.site.crowd.enter(address, What::Uploads);
        place.map(Some).ok_or((Reason::TooManyUploads, None))
    }
}
