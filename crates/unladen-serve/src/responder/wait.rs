//! Waiting for the application's answer together with others who ask for the same.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use unladen_cache::{
    CacheStatus, FetchReader, FetchWriter, Forwarded, Joined, Stored, Time, Verdict, may_serve_on_error, precondition,
};
use unladen_http1::Length;
use unladen_observability::{CacheResult, Reason};

use super::admit::InboundRequest;
use super::fetch::fetch;
use crate::cache::cache_lookup::{CacheLookup, Found, ValidatorAnswer};
use crate::cache::fetch_plan::FetchPlan;
use crate::cache::response_policy::push_status;
use crate::cache::{Began, News, Storable, hops};
use crate::message::downstream::ClientSide;
use crate::message::stream::{BodySource, FetchSource};
use crate::request::watch::Deadline;
use crate::request::{Fetched, Finished};

pub(super) enum Waited {
    Finished(Finished),
    NotForAll,
    /// The answer varies by fields in which this request differs; its values of them.
    Another(Vec<u8>),
}

/// A fetch has bounds of its own; this is for what nobody thought of.
const LONG: Duration = Duration::from_secs(3600);

/// Used if the one who was to fetch may not: those already waiting ask for themselves, and later requests anew.
fn give_up(writer: FetchWriter<News>) {
    writer.tell(News::NotForAll, None);
    writer.end();
}

impl InboundRequest<'_> {
    /// Waits for an answer of the application, and starts a fetch if there is none.
    pub(super) async fn wait(
        &self,
        lookup: &CacheLookup<'_>,
        to: &mut ClientSide<'_, '_>,
        found: &Found,
        forwarded: Forwarded,
        told_apart: Option<Vec<u8>>,
    ) -> Waited {
        let join = lookup.join_key(to.key, told_apart.as_deref().unwrap_or(to.variant));
        let (mut reader, leads) = match lookup.cache.fetches.join(&join) {
            Joined::Follow(reader) => {
                if let Some(queue) = &self.proxy.queue {
                    queue.join(&join, self.flow(lookup.request));
                }
                (reader, false)
            }
            Joined::Lead(writer, reader) => {
                let place = match self.go() {
                    Ok(place) => place,
                    Err((reason, after)) => {
                        give_up(writer);
                        return Waited::Finished(self.send_local_reply(lookup.request, to, reason, after).await);
                    }
                };
                let wanted = self.wanted(lookup, to.key, found.stored.clone());
                let fetched = Rc::new(Fetched::default());
                self.fetched.replace(Some(fetched.clone()));
                let queue_entry = (self.flow(lookup.request), join);
                fetch(self.context, self.index, wanted, writer, place, fetched, queue_entry);
                (reader, true)
            }
        };
        let beat = self.beat();
        let mut deadline = Deadline::new(self.now, beat.unwrap_or(LONG), None);
        let news = loop {
            let ClientSide { watch, body, client, .. } = to;
            let waiting = poll_fn(|cx| {
                if let Poll::Ready(news) = reader.poll_head(cx) {
                    return Poll::Ready(Some(news));
                }
                if client.poll_gone(cx, body) { Poll::Ready(None) } else { Poll::Pending }
            });
            match (watch.over(&deadline, pin!(waiting)).await, beat) {
                (Some(news), _) => break news,
                // The fetch has bounds of its own.
                (None, Some(beat)) if self.is_told_to_wait(to).await => {
                    deadline = Deadline::new(Instant::now(), beat, None);
                }
                (None, _) => break None,
            }
        };
        let result = if leads { CacheResult::Miss } else { CacheResult::Collapsed };
        let status = CacheStatus { forwarded: Some(forwarded), collapsed: !leads, ..CacheStatus::default() };
        let (reason, after) = match news {
            None => return Waited::Finished(self.report_gone(lookup)),
            Some(Some(News::Stored(stored, hops))) => {
                let detail = hops.is_some().then_some("peer");
                let status = CacheStatus { forwarded_status: Some(304), stored: true, detail, ..status };
                let result = if leads { CacheResult::Revalidated } else { result };
                // Only the asker is told of hops.
                let hops = hops.as_deref().filter(|_| leads);
                let told = (Some(status), hops);
                return Waited::Finished(self.send_cached(lookup, to, &stored, (result, ""), told).await);
            }
            Some(Some(News::Began(began))) => {
                if !leads && let Some(waited) = self.is_for_another(lookup, &began, to) {
                    return waited;
                }
                let why = began.kept.as_ref().err().map_or("", |why| why.into_str());
                let detail = if began.is_of_peer { "peer" } else { why };
                let status = CacheStatus {
                    forwarded_status: Some(began.response.status),
                    stored: began.kept.as_ref().is_ok_and(|kept| kept.stays),
                    detail: (!detail.is_empty()).then_some(detail),
                    ..status
                };
                match self.stream(lookup, to, &began, reader, (result, why), status).await {
                    Ok(finished) => return Waited::Finished(finished),
                    Err(reason) => (reason, None),
                }
            }
            Some(Some(News::NotForAll)) => return Waited::NotForAll,
            Some(Some(News::Failed(reason, after))) => (reason, after),
            Some(None) => (Reason::UpstreamClosed, None),
        };
        self.instead(lookup, to, found, reason, after).await
    }

    pub(super) fn fetch_behind(&self, lookup: &CacheLookup<'_>, to: &ClientSide<'_, '_>, stored: &Arc<Stored>) {
        let join = lookup.join_key(to.key, to.variant);
        let Joined::Lead(writer, _) = lookup.cache.fetches.join(&join) else { return };
        let Ok(place) = self.place() else { return give_up(writer) };
        let wanted = self.wanted(lookup, to.key, Some(stored.clone()));
        let queue_entry = (self.flow(lookup.request), join);
        fetch(self.context, self.index, wanted, writer, place, Rc::default(), queue_entry);
    }

    fn wanted(&self, lookup: &CacheLookup<'_>, key: &[u8], stored: Option<Arc<Stored>>) -> FetchPlan {
        let version = match &lookup.known {
            ValidatorAnswer::Version(version) => Some(version.clone()),
            _ => None,
        };
        FetchPlan {
            site: self.site.clone(),
            proxy: self.proxy.clone(),
            script: self.script.borrow().clone(),
            request: lookup.request.clone(),
            is_https: self.who.get().is_https,
            key: key.to_vec(),
            address: self.asked_by.get().map_or(self.peer.address, |question| question.address),
            stored,
            is_validated: version.is_some(),
            version,
            requested: Time::now(),
            sequence: lookup.cache.store.sequence(),
            // After the sequence: what is purged from here on is not stored, whoever answers.
            peers: self.peers(lookup, key),
        }
    }

    fn is_for_another(&self, lookup: &CacheLookup<'_>, began: &Began, to: &ClientSide<'_, '_>) -> Option<Waited> {
        let Ok(Storable { nominated, variant, freshness, .. }) = &began.kept else { return Some(Waited::NotForAll) };
        if !lookup.may_share(freshness) {
            return Some(Waited::NotForAll);
        }
        let mut own = Vec::with_capacity(to.variant.len());
        nominated.write_variant(lookup.request, &lookup.cache.policy, &mut own);
        (own != *variant).then_some(Waited::Another(own))
    }

    /// Passes on an answer under way. An error if it broke off before the client had any of it.
    async fn stream(
        &self,
        lookup: &CacheLookup<'_>,
        to: &mut ClientSide<'_, '_>,
        began: &Began,
        reader: FetchReader<News>,
        result: (CacheResult, &'static str),
        status: CacheStatus<'_>,
    ) -> Result<Finished, Reason> {
        let response = &began.response;
        if let Ok(kept) = &began.kept
            && response.status == 200
            && precondition(lookup.request, &kept.validators(), kept.freshness.received) != Verdict::Proceed
        {
            // The body is not needed for that; the condition is about what will be stored.
            let stored = kept.without_body(response.status);
            let hops = (began.is_of_peer && reader.is_leader()).then(|| hops(&response.fields));
            let told = (Some(status), hops.as_deref());
            return Ok(self.send_cached(lookup, to, &Arc::new(stored), result, told).await);
        }
        to.response.clone_from(response);
        if !reader.is_leader()
            && let Ok(kept) = &began.kept
        {
            // What is not stored belongs to the first asker alone.
            to.response.fields.clone_from(&kept.fields);
            if let Length::Exact(length) = response.length {
                to.response.fields.push(b"content-length", length.to_string().as_bytes());
            }
        }
        to.more.clear();
        push_status(to.more, &status);
        self.add_own(to);
        self.add_for_peer(to, lookup.version());
        for field in to.more.iter() {
            to.response.fields.push(field.name, field.value);
        }
        let has_body = !matches!(response.length, Length::None | Length::Exact(0));
        let from = if has_body { BodySource::Fetch(Box::new(FetchSource::new(reader))) } else { BodySource::Empty };
        self.compress(lookup.request, to);
        let sent = self.send(lookup.request, to, from, None, result.0).await;
        match sent.unbegun() {
            Some(reason) => Err(reason),
            None => Ok(self.report(lookup.request, &sent, result)),
        }
    }

    /// Answers although the application could not: with a stored response, if allowed, or with an error.
    async fn instead(
        &self,
        lookup: &CacheLookup<'_>,
        to: &mut ClientSide<'_, '_>,
        found: &Found,
        reason: Reason,
        after: Option<Duration>,
    ) -> Waited {
        if let Some(stored) = &found.stored
            && lookup.known == ValidatorAnswer::Nothing
            // What another process was told to purge is no answer, not even now.
            && !lookup.is_leaving
            && !lookup.is_cut_off
            && !lookup.cache.fleet.as_ref().is_some_and(|fleet| fleet.doubts(stored))
            && may_serve_on_error(&lookup.control, &stored.freshness, Time::now())
        {
            let status = CacheStatus { hit: true, detail: Some(reason.as_str()), ..CacheStatus::default() };
            let result = (CacheResult::Stale, reason.as_str());
            return Waited::Finished(self.send_cached(lookup, to, stored, result, (Some(status), None)).await);
        }
        if reason == Reason::UpstreamStatus {
            // There was an answer, which others may not have been given.
            return Waited::NotForAll;
        }
        Waited::Finished(self.send_local_reply(lookup.request, to, reason, after).await)
    }
}
