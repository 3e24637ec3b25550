//! Answers that a front gives itself: from memory, or that there is none.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use unladen_cache::{CacheStatus, Stored, Time};
use unladen_http1::Request;

use super::call::{Call, Desk};
use super::inquiry::Inquiry;
use super::memory::{Memory, memory};
use super::prepare::Who;
use super::touch::NAME;
use crate::compose;
use crate::record::{CacheResult, End, Reason, Record, Reuse};
use crate::stream::{Pump, PumpError, Source};
use crate::watch::Deadline;

impl Call<'_> {
    /// Answers with a stored response, as the request wants it. `status`: what is said of it in `Cache-Status`, if it is more than
    /// that it was there.
    pub(crate) async fn recall(
        &self,
        inquiry: &Inquiry<'_>,
        desk: &mut Desk<'_, '_>,
        stored: &Arc<Stored>,
        result: (CacheResult, &'static str),
        status: Option<CacheStatus<'_>>,
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
        desk.more.clear();
        desk.more.push(b"age", compose::digits(age, &mut [0; 20]));
        // A hit takes no memory: what an upstream would be sent with lies idle.
        desk.up.clear();
        CacheStatus { ttl, ..status }.write(NAME, desk.up);
        desk.more.push(b"cache-status", desk.up);
        self.front.add_own(desk.more, inquiry.who.is_https);
        let memory = memory(self.front, desk.key, inquiry.request, stored);
        let from = match inquiry.request.method == b"HEAD" || memory.body.is_empty() {
            true => Source::Empty,
            false => Source::Memory(memory.body.clone()),
        };
        let status = memory.status;
        self.send(inquiry.request, desk, from, Some(&memory), status, result).await
    }

    /// Sends an answer: a stored one, or the one that is in `desk.response`.
    pub(crate) async fn send(
        &self,
        request: &Request,
        desk: &mut Desk<'_, '_>,
        mut from: Source<'_>,
        memory: Option<&Memory<'_>>,
        status: u16,
        result: (CacheResult, &'static str),
    ) -> (End, Instant) {
        let idle = self.front.app.upstream.settings().timeouts.idle;
        let via = self.front.app.settings.via;
        let is_head = request.method == b"HEAD";
        self.context.seeing.begin(self.index);
        // Nothing was waited for if there was nobody to ask; everybody else's time is not what it was when the request came.
        let is_at_once = result.0 == CacheResult::Hit && self.front.validators.is_empty();
        let start = if is_at_once { self.now } else { Instant::now() };
        let deadline = Deadline::new(start, idle, None);
        let Desk { watch, body, client, response, more, .. } = desk;
        let to = match memory {
            Some(memory) => client.remember(memory, more, is_head, via, self.now),
            None => client.respond(response, is_head, false, via, self.now),
        };
        let mut pump = Pump::default();
        let ended = match to {
            Err(()) => Err(End::ClientGone),
            Ok(mut to) => {
                let sending = poll_fn(|cx| {
                    let sent = pump.poll(cx, &mut from, &mut to, None);
                    if sent.is_pending() {
                        if pump.has_moved() {
                            deadline.renew(idle);
                        }
                        if body.poll_gone(cx) || to.poll_gone(cx) {
                            return Poll::Ready(Err(End::ClientGone));
                        }
                    }
                    sent.map_err(|error| match error {
                        PumpError::Source(_) | PumpError::TooLarge => End::Broken(Reason::UpstreamClosed),
                        PumpError::Sink(_) => End::ClientGone,
                    })
                });
                watch.over(&deadline, pin!(sending)).await.unwrap_or(Err(End::Broken(Reason::ClientTimeout)))
            }
        };
        let end = ended.err().unwrap_or(End::Answered);
        let now = if from.is_done() && end == End::Answered { deadline.now() } else { deadline.look() };
        self.tell(request, end, status, pump.bytes, result, Some(start), now)
    }

    /// An answer of our own.
    pub(crate) async fn own(
        &self,
        request: &Request,
        desk: &mut Desk<'_, '_>,
        reason: Reason,
        after: Option<Duration>,
        who: Who,
    ) -> (End, Instant) {
        let after = after.or_else(|| matches!(reason.status(), 429 | 503).then_some(self.front.settings.retry_after));
        let words = compose::local(desk.response, reason, after);
        desk.more.clear();
        self.front.add_own(desk.more, who.is_https);
        for field in desk.more.iter() {
            desk.response.fields.push(field.name, field.value);
        }
        self.say(request, desk, &words, (End::Local(reason), reason.as_str())).await
    }

    /// Sends the answer in `desk.response`, with these words; and why it is our own.
    pub(crate) async fn say(
        &self,
        request: &Request,
        desk: &mut Desk<'_, '_>,
        words: &str,
        (end, why): (End, &'static str),
    ) -> (End, Instant) {
        if !desk.body.is_done() {
            desk.client.ends();
        }
        let is_head = request.method == b"HEAD";
        let start = Instant::now();
        let deadline = Deadline::new(start, ANSWER_TIME, None);
        let via = self.front.app.settings.via;
        self.context.seeing.begin(self.index);
        let status = desk.response.status;
        let answering = desk.client.answer(desk.response, words, is_head, via);
        let answered = desk.watch.over(&deadline, pin!(answering)).await;
        let end = if answered == Some(Ok(())) { end } else { End::ClientGone };
        self.tell(request, end, status, words.len() as u64, (CacheResult::Own, why), Some(start), deadline.look())
    }

    /// The client has gone before there was an answer.
    pub(crate) fn gone(&self, inquiry: &Inquiry<'_>, _: &Desk<'_, '_>) -> (End, Instant) {
        self.context.seeing.begin(self.index);
        self.tell(inquiry.request, End::ClientGone, 0, 0, (CacheResult::Miss, ""), None, Instant::now())
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
        let record = Record {
            upstream: &self.front.app.upstream.settings().name,
            endpoint: None,
            method: &request.method,
            target: &request.target,
            authority: &request.authority,
            client_version: self.version,
            upstream_version: None,
            status,
            end,
            reuse: Reuse::None,
            attempts: 0,
            began: self.began,
            head: self.now.saturating_duration_since(self.began),
            connected: None,
            first_byte: first_byte.map(|at| at.saturating_duration_since(self.began)),
            total,
            bytes_in: 0,
            bytes_out,
            request_id: request.fields.get(unladen_http1::Name::XRequestId).unwrap_or_default(),
            trace: None,
            cache: Some(cache),
        };
        self.context.seeing.observe(&record, self.index);
        self.context.seeing.end(self.index);
        (end, now)
    }
}

/// For an answer of our own, to a client that may be slow to take it.
const ANSWER_TIME: Duration = Duration::from_secs(10);
