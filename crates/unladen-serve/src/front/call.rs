//! The principal type is [`Call`]: a request to a front, answered from memory, by the application, or not at all. `phase` has the map.

use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use unladen_cache::{Forwarded, RequestControl, Time, write_key};
use unladen_http1::{Fields, Length, Name, Request, Response};

use super::Front;
use super::clients::UnderWay;
use super::inquiry::{Decision, Inquiry};
use super::prepare::{Who, prepare};
use super::touch::{Touch, copy_of, is_unsafe};
use super::wait::Waited;
use crate::client::Client;
use crate::context::Context;
use crate::errand::Errand;
use crate::record::{CacheResult, End, Reason, Version};
use crate::seeing::UpstreamIndex;
use crate::stream::Source;
use crate::watch::Watch;

/// A request to a front.
pub(crate) struct Call<'a> {
    pub(crate) context: &'a Rc<Context>,
    pub(crate) front: &'a Arc<Front>,
    pub(crate) index: UpstreamIndex,
    pub(crate) version: Version,
    /// When the head's first byte was read …
    pub(crate) began: Instant,
    /// … and its last.
    pub(crate) now: Instant,
    pub(crate) peer: Peer,
}

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peer {
    /// None: it is a Unix socket.
    pub(crate) address: Option<IpAddr>,
    pub(crate) is_https: bool,
}

/// What a call works with.
pub(crate) struct Desk<'d, 'c> {
    pub(crate) watch: &'d mut Watch,
    pub(crate) body: &'d mut Source<'c>,
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

// === impl Call ===

impl Call<'_> {
    /// How it ended, and when.
    pub(crate) async fn run(self, request: &mut Request, desk: &mut Desk<'_, '_>) -> (End, Instant) {
        let who = prepare(self.front, request, &self.peer);
        let request = &*request;
        let Some(cache) = &self.front.cache else { return self.pass(request, desk, who, None, "").await };
        if request.method == b"PURGE" {
            return self.purge(cache, request, desk, who).await;
        }
        let is_plain = matches!(&*request.method, b"GET" | b"HEAD")
            && matches!(request.length, Length::None | Length::Exact(0))
            && request.fields.get(Name::Upgrade).is_none();
        if !is_plain {
            return self.pass(request, desk, who, Some(Forwarded::Method), "").await;
        }
        if who.is_disguised {
            return self.pass(request, desk, who, Some(Forwarded::Bypass), "disguised").await;
        }
        let control = RequestControl::of(&request.fields);
        if control.no_store {
            return self.pass(request, desk, who, Some(Forwarded::Request), "request-no-store").await;
        }
        desk.key.clear();
        write_key(request, who.is_https, &cache.policy, desk.key);
        let has_cookies = cache.policy.has_cookies(&request.fields) || request.fields.find(b"authorization").is_some();
        let known = match self.ask(request, who).await {
            Ok(known) => known,
            Err(reason) => return self.own(request, desk, reason, None, who).await,
        };
        let is_leaving = self.context.is_draining.get();
        let inquiry = Inquiry { cache, request, who, control, known, has_cookies, is_leaving };
        // What another's answer turned out to depend on.
        let mut told_apart: Option<Vec<u8>> = None;
        for _ in 0..ROUNDS {
            let found = inquiry.look(desk.key, desk.variant);
            let forwarded = match inquiry.decide(&found, desk.key, Time::now()) {
                Decision::Fetch(forwarded) => forwarded,
                Decision::Pass(forwarded, why) => return self.pass(request, desk, who, Some(forwarded), why).await,
                Decision::Own(reason) => return self.own(request, desk, reason, None, who).await,
                Decision::Serve(result, why) => {
                    let Some(stored) = &found.stored else { break };
                    return self.recall(&inquiry, desk, stored, (result, why), None).await;
                }
                Decision::ServeAndFetch => {
                    let Some(stored) = &found.stored else { break };
                    self.fetch_behind(&inquiry, desk, stored);
                    return self.recall(&inquiry, desk, stored, (CacheResult::Stale, ""), None).await;
                }
            };
            match self.wait(&inquiry, desk, &found, forwarded, told_apart.take()).await {
                Waited::Ended(end, now) => return (end, now),
                Waited::NotForAll => break,
                Waited::Another(variant) => told_apart = Some(variant),
            }
        }
        self.pass(request, desk, who, Some(Forwarded::UriMiss), "not-shared").await
    }

    /// Straight to the application, and its answer straight to the client.
    pub(crate) async fn pass(
        &self,
        request: &Request,
        desk: &mut Desk<'_, '_>,
        who: Who,
        forwarded: Option<Forwarded>,
        why: &'static str,
    ) -> (End, Instant) {
        let _place = match self.place(who) {
            Ok(place) => place,
            Err(reason) => return self.own(request, desk, reason, None, who).await,
        };
        let touch = Touch {
            front: self.front.clone(),
            is_https: who.is_https,
            forwarded,
            why,
            unsafe_request: is_unsafe(request).then(|| copy_of(request)),
            is_done: false.into(),
        };
        desk.client.set_touch(Rc::new(touch));
        let errand = Errand {
            context: self.context,
            beside: &self.front.app,
            index: self.index,
            request,
            version: self.version,
            began: self.began,
            now: self.now,
            cache: Some((CacheResult::Pass, why)),
        };
        errand.run(desk.watch, desk.body, desk.client, desk.response, desk.up, desk.id).await
    }

    /// A place among this client's requests at the application.
    pub(crate) fn place(&self, who: Who) -> Result<Option<UnderWay>, Reason> {
        let Some(address) = who.address else { return Ok(None) };
        let place = self.front.clients.enter(address, self.front.settings.per_client);
        place.map(Some).ok_or(Reason::TooManyOfClient)
    }
}
