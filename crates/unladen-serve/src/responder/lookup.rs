//! [`InboundRequest::look_up`]: answers a request from memory, or by the application, as `cache/cache_lookup.rs`
//! decides.

use unladen_cache::{Forwarded, RequestControl, Time, write_key};
use unladen_http1::Request;
use unladen_observability::{CacheResult, Reason};

use super::admit::InboundRequest;
use super::wait::Waited;
use crate::cache::cache_lookup::{CacheLookup, Decision, UNCACHEABLE, eligible};
use crate::cache::response_policy::Lifting;
use crate::message::downstream::ClientSide;
use crate::request::Finished;

/// Times a request waits for others' answers before it goes to the application itself.
const ROUNDS: usize = 3;

impl InboundRequest<'_> {
    pub(super) async fn look_up(&self, request: &Request, to: &mut ClientSide<'_, '_>) -> Finished {
        let Some(cache) = &self.site.cache else { return self.pass(request, to, (None, ""), None).await };
        if !self.is_cached {
            return self.pass(request, to, (Some(Forwarded::Bypass), "route"), None).await;
        }
        let who = self.who.get();
        let mut control = match eligible(request, who) {
            Ok(control) => control,
            Err((forwarded, why)) => return self.pass(request, to, (Some(forwarded), why), None).await,
        };
        if cache.settings.ignore_reload {
            control = RequestControl { no_cache: false, max_age: None, min_fresh: None, ..control };
        }
        to.key.clear();
        write_key(request, who.is_https, &cache.policy, to.key);
        let has_cookies = cache.policy.has_cookies(&request.fields);
        let is_authorized = request.fields.find(b"authorization").is_some();
        // Nodes do not ask each other for personal pages.
        if self.is_for_peer() && (has_cookies || is_authorized) {
            return self.refuse_peer(request, to, false).await;
        }
        // Before anything is looked up: the result must not predate the peer's purges.
        if self.is_behind(cache) {
            return self.refuse_peer(request, to, true).await;
        }
        let known = match self.ask(request).await {
            Ok(known) => known,
            Err(reason) => return self.send_local_reply(request, to, reason, None).await,
        };
        let is_leaving = cache.successor.serves();
        // Before anything is looked up: the result must date from when this node could still rely on it.
        let is_cut_off = cache.is_cut_off(self.began);
        let lookup = CacheLookup { cache, request, control, known, has_cookies, is_authorized, is_leaving, is_cut_off };
        // What another's answer turned out to vary by.
        let mut told_apart: Option<Vec<u8>> = None;
        if self.context.budget.is_lent_out() && !to.is_lent().await {
            return self.report_gone(&lookup);
        }
        for _ in 0..ROUNDS {
            let found = lookup.look(to.key, to.variant);
            let forwarded = match lookup.decide(&found, to.key, Time::now()) {
                Decision::Fetch(_) if self.is_looped.get() => {
                    return self.send_local_reply(request, to, Reason::LoopDetected, None).await;
                }
                Decision::Fetch(_) if self.asked_by.get().is_some_and(|question| question.only_stored) => {
                    return self.refuse_peer(request, to, false).await;
                }
                Decision::Fetch(forwarded) => forwarded,
                Decision::Pass(forwarded, why) => {
                    let lifting = if why == UNCACHEABLE { Lifting::of(&lookup, to.key) } else { None };
                    return self.pass(request, to, (Some(forwarded), why), lifting).await;
                }
                Decision::Own(reason) => return self.send_local_reply(request, to, reason, None).await,
                Decision::Serve(result, why) => {
                    let Some(stored) = &found.stored else { break };
                    return self.send_cached(&lookup, to, stored, (result, why), (None, None)).await;
                }
                Decision::ServeAndFetch => {
                    let Some(stored) = &found.stored else { break };
                    self.fetch_behind(&lookup, to, stored);
                    return self.send_cached(&lookup, to, stored, (CacheResult::Stale, ""), (None, None)).await;
                }
            };
            match self.wait(&lookup, to, &found, forwarded, told_apart.take()).await {
                Waited::Finished(finished) => return finished,
                Waited::NotForAll => break,
                Waited::Another(variant) => told_apart = Some(variant),
            }
        }
        self.pass(request, to, (Some(Forwarded::UriMiss), "not-shared"), None).await
    }
}
