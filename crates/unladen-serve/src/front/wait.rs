//! Waiting for the application's answer together with others who ask for the same.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use unladen_cache::{CacheStatus, Forwarded, Joined, Reader, Stored, Time, Verdict, may_serve_on_error, precondition};
use unladen_http1::Length;

use super::News;
use super::call::{Call, Desk};
use super::catch::{Began, Kept, Wanted};
use super::fetch::fetch;
use super::inquiry::{Found, Inquiry, Known};
use crate::record::{CacheResult, End, Reason};
use crate::stream::{FillingSource, Source};
use crate::watch::Deadline;

/// What waiting came to.
pub(crate) enum Waited {
    /// The client has its answer.
    Ended(End, Instant),
    /// The answer was for another alone.
    NotForAll,
    /// The answer was for those who say something else than this, which is what the request says in the fields it depends on.
    Another(Vec<u8>),
}

/// Whoever fetches has bounds of its own; this is for what nobody thought of.
const LONG: Duration = Duration::from_secs(3600);

impl Call<'_> {
    /// Waits for an answer of the application's, and has it asked if nobody does.
    pub(crate) async fn wait(
        &self,
        inquiry: &Inquiry<'_>,
        desk: &mut Desk<'_, '_>,
        found: &Found,
        forwarded: Forwarded,
        told_apart: Option<Vec<u8>>,
    ) -> Waited {
        let join = inquiry.join_key(desk.key, told_apart.as_deref().unwrap_or(desk.variant));
        let (mut reader, leads) = match inquiry.cache.fillings.join(&join) {
            Joined::Follow(reader) => (reader, false),
            Joined::Lead(fill, reader) => {
                let place = match self.place(inquiry.who) {
                    Ok(place) => place,
                    Err(reason) => return self.ended(self.own(inquiry.request, desk, reason, None, inquiry.who).await),
                };
                let wanted = self.wanted(inquiry, desk.key, found.stored.clone());
                fetch(self.context, self.index, wanted, fill, place);
                (reader, true)
            }
        };
        let deadline = Deadline::new(self.now, LONG, None);
        let news = {
            let Desk { watch, body, client, .. } = desk;
            let waiting = poll_fn(|cx| {
                if let Poll::Ready(news) = reader.poll_head(cx) {
                    return Poll::Ready(Some(news));
                }
                if client.poll_gone(cx, body) { Poll::Ready(None) } else { Poll::Pending }
            });
            watch.over(&deadline, pin!(waiting)).await.flatten()
        };
        let result = if leads { CacheResult::Miss } else { CacheResult::Collapsed };
        let status = CacheStatus { forwarded: Some(forwarded), collapsed: !leads, ..CacheStatus::default() };
        match news {
            None => self.ended(self.gone(inquiry, desk)),
            Some(Some(News::Stored(stored))) => {
                let status = CacheStatus { forwarded_status: Some(304), stored: true, ..status };
                let result = if leads { CacheResult::Revalidated } else { result };
                self.ended(self.recall(inquiry, desk, &stored, (result, ""), Some(status)).await)
            }
            Some(Some(News::Began(began))) => {
                if !leads && let Some(waited) = self.is_for_another(inquiry, &began, desk) {
                    return waited;
                }
                let why = began.kept.as_ref().err().map_or("", |why| why.as_str());
                let status = CacheStatus {
                    forwarded_status: Some(began.response.status),
                    stored: began.kept.is_ok(),
                    detail: (!why.is_empty()).then_some(why),
                    ..status
                };
                self.ended(self.stream(inquiry, desk, &began, reader, (result, why), status).await)
            }
            Some(Some(News::NotForAll)) => Waited::NotForAll,
            Some(Some(News::Failed(reason, after))) => self.instead(inquiry, desk, found, reason, after).await,
            Some(None) => self.instead(inquiry, desk, found, Reason::UpstreamClosed, None).await,
        }
    }

    /// Asks for what is stored anew, for whoever comes later.
    pub(crate) fn fetch_behind(&self, inquiry: &Inquiry<'_>, desk: &Desk<'_, '_>, stored: &Arc<Stored>) {
        let join = inquiry.join_key(desk.key, desk.variant);
        if let Joined::Lead(fill, _) = inquiry.cache.fillings.join(&join)
            && let Ok(place) = self.place(inquiry.who)
        {
            let wanted = self.wanted(inquiry, desk.key, Some(stored.clone()));
            fetch(self.context, self.index, wanted, fill, place);
        }
    }

    fn wanted(&self, inquiry: &Inquiry<'_>, key: &[u8], stored: Option<Arc<Stored>>) -> Wanted {
        let version = match &inquiry.known {
            Known::Version(version) => Some(version.clone()),
            _ => None,
        };
        Wanted {
            front: self.front.clone(),
            request: inquiry.request.clone(),
            is_https: inquiry.who.is_https,
            key: key.to_vec(),
            address: self.peer.address,
            stored,
            is_validated: version.is_some(),
            version,
            requested: Time::now(),
            sequence: inquiry.cache.store.sequence(),
        }
    }

    /// Whether another's answer is not this request's.
    fn is_for_another(&self, inquiry: &Inquiry<'_>, began: &Began, desk: &Desk<'_, '_>) -> Option<Waited> {
        let Ok(Kept { nominated, variant, freshness, .. }) = &began.kept else { return Some(Waited::NotForAll) };
        if inquiry.has_cookies && !freshness.shared_with_cookies {
            return Some(Waited::NotForAll);
        }
        let mut own = Vec::with_capacity(desk.variant.len());
        nominated.write_variant(inquiry.request, &inquiry.cache.policy, &mut own);
        (own != *variant).then_some(Waited::Another(own))
    }

    /// Passes on an answer that is on its way.
    async fn stream(
        &self,
        inquiry: &Inquiry<'_>,
        desk: &mut Desk<'_, '_>,
        began: &Began,
        reader: Reader<News>,
        result: (CacheResult, &'static str),
        status: CacheStatus<'_>,
    ) -> (End, Instant) {
        let response = &began.response;
        if let Ok(kept) = &began.kept
            && response.status == 200
            && precondition(inquiry.request, &kept.validators(), kept.freshness.received) != Verdict::Proceed
        {
            // The body is not needed for that; what is stored of it in the end is what this is about.
            let stored = kept.without_body(response.status);
            return self.recall(inquiry, desk, &Arc::new(stored), result, Some(status)).await;
        }
        desk.response.clone_from(response);
        if !reader.is_leader()
            && let Ok(kept) = &began.kept
        {
            // What is not stored is not theirs: it was the first one's.
            desk.response.fields.clone_from(kept.fields());
            if let Length::Exact(length) = response.length {
                desk.response.fields.push(b"content-length", length.to_string().as_bytes());
            }
        }
        desk.more.clear();
        super::touch::push_status(desk.more, &status);
        self.front.add_own(desk.more, inquiry.who.is_https);
        for field in desk.more.iter() {
            desk.response.fields.push(field.name, field.value);
        }
        let has_body = !matches!(response.length, Length::None | Length::Exact(0));
        let from = if has_body { Source::Filling(Box::new(FillingSource::new(reader))) } else { Source::Empty };
        let status = response.status;
        self.send(inquiry.request, desk, from, None, status, result).await
    }

    /// Answers although the application could not: with what is stored, if it may be; or with why.
    async fn instead(
        &self,
        inquiry: &Inquiry<'_>,
        desk: &mut Desk<'_, '_>,
        found: &Found,
        reason: Reason,
        after: Option<Duration>,
    ) -> Waited {
        if let Some(stored) = &found.stored
            && inquiry.known == Known::Nothing
            && may_serve_on_error(&inquiry.control, &stored.freshness, Time::now())
        {
            let status = CacheStatus { hit: true, detail: Some(reason.as_str()), ..CacheStatus::default() };
            let result = (CacheResult::Stale, reason.as_str());
            return self.ended(self.recall(inquiry, desk, stored, result, Some(status)).await);
        }
        if reason == Reason::UpstreamStatus {
            // There was an answer, which others may not have been given.
            return Waited::NotForAll;
        }
        self.ended(self.own(inquiry.request, desk, reason, after, inquiry.who).await)
    }

    fn ended(&self, (end, now): (End, Instant)) -> Waited {
        Waited::Ended(end, now)
    }
}
