//! The principal type is [`CacheFetch`]: takes an application's answer for all who wait for it, and for the store.

use std::borrow::Cow;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use unladen_cache::{FetchWriter, NoStore, RequestControl, Stored, Time, may_serve_on_error};
use unladen_http1::{Length, Response};
use unladen_observability::{Asked, Reason};

use super::fetch_plan::{FetchPlan, LEAST, is_of_the_resource, origin};
use super::{Began, News, Storable, hops};
use crate::message::add_date;
use crate::tier::words::{TIER, Told};

/// Most bytes of an answer that is not kept that may wait for its one client.
const WINDOW: usize = 256 * 1024;

pub(crate) struct CacheFetch {
    pub(crate) wanted: FetchPlan,
    writer: Option<FetchWriter<News>>,
    asking: Option<Asking>,
}

#[derive(Debug)]
struct Asking {
    /// Whether the peer's answer is stored here.
    keeps: bool,
    outcome: Asked,
}

/// Longest refusal of a peer, in bytes, whose body is read to its end to keep the connection.
const REFUSAL: u64 = 16 * 1024;
const STATUS: &[u8] = b"cache-status";

/// Where the body of an answer goes.
///
/// The head is held back until some of the body is there or has to be waited for: an answer that breaks off at once is
/// a failure, in place of which something else can be sent (RFC 5861, section 4).
#[derive(Debug)]
pub(crate) struct FetchSink<'a> {
    head: Option<HeldHead<'a>>,
    to: Option<FetchWriter<News>>,
    storing: Option<Storing<'a>>,
    /// For an answer that is not kept: the plan whose stored response it outdates.
    outdates: Option<&'a FetchPlan>,
    bytes: u64,
    /// The body is too long to be read to its end when nobody wants it.
    is_cut: bool,
}

#[derive(Debug)]
struct HeldHead<'a> {
    writer: &'a mut Option<FetchWriter<News>>,
    began: News,
    /// For an answer to one client alone: how much may wait, and what the others are told.
    alone: Option<(usize, News)>,
}

#[derive(Debug)]
struct Storing<'a> {
    wanted: &'a FetchPlan,
    kept: Storable,
    status: u16,
}

impl CacheFetch {
    pub(crate) fn new(wanted: FetchPlan, writer: FetchWriter<News>) -> Self {
        Self { wanted, writer: Some(writer), asking: None }
    }

    /// The next answer is a peer's: a failure to answer is not passed on to those who wait.
    pub(crate) fn begin_asking(&mut self, keeps: bool) {
        self.asking = Some(Asking { keeps, outcome: Asked::Failed });
    }

    pub(crate) fn end_asking(&mut self) -> Asked {
        match self.asking.take().map(|asking| asking.outcome) {
            // The answer broke off before anything of it was sent.
            Some(Asked::Answered) if self.writer.is_some() => Asked::Failed,
            outcome => outcome.unwrap_or(Asked::Failed),
        }
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.writer.as_ref().is_some_and(FetchWriter::has_readers)
    }

    /// Ready once nobody waits for the answer any more, and nobody can.
    pub(crate) fn poll_unwanted(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.writer.as_mut().map_or(Poll::Pending, |writer| writer.poll_unwanted(cx))
    }

    pub(crate) fn failed(&mut self, reason: Reason, after: Option<Duration>) {
        if self.asking.is_some() {
            return;
        }
        if let Some(writer) = self.writer.take() {
            writer.tell(News::Failed(reason, after), None);
            writer.end();
        }
    }

    /// Passes an answer's head to all who wait, and returns the sink for its body.
    pub(crate) fn caught(&mut self, response: &Response) -> FetchSink<'_> {
        let nothing = FetchSink::nowhere();
        let of_peer;
        let (mut response, mut stays) = (response, true);
        let is_of_peer = self.asking.is_some();
        if let Some(asking) = &mut self.asking {
            let expected = Told::of(self.wanted.version.as_deref());
            if Told::read(&response.fields) != Some(expected) {
                asking.outcome = Asked::Refused;
                let is_short = matches!(response.length, Length::None | Length::Exact(0..=REFUSAL));
                return FetchSink { is_cut: !is_short, ..nothing };
            }
            asking.outcome = Asked::Answered;
            stays = asking.keeps;
            of_peer = without(response, TIER);
            response = &of_peer;
        }
        let wanted = &self.wanted;
        let Some(cache) = &wanted.site.cache else { return nothing };
        let received = Time::now();
        if self.writer.is_none() {
            return nothing;
        }
        if let Some(stored) = &wanted.stored {
            if response.status == 304 {
                let Some(writer) = self.writer.take() else { return nothing };
                // What a peer's cache did for this request is not part of the page.
                let plain = if is_of_peer { Cow::Owned(without(response, STATUS)) } else { Cow::Borrowed(response) };
                let hops = is_of_peer.then(|| hops(&response.fields));
                let (stored, kept) = wanted.freshened(stored, &plain, received);
                let nominated = wanted.nominated(stored.status, &stored.fields).ok_or(NoStore::VaryAll);
                let stored = Arc::new(stored);
                match kept.and(nominated) {
                    Ok(nominated) => {
                        wanted.put(&nominated, &stored);
                        writer.tell(News::Stored(stored, hops), None);
                    }
                    // For this client alone; from now on perhaps for nobody else.
                    Err(why) => {
                        if is_of_the_resource(why) && !wanted.is_of_use_to_others(received) {
                            wanted.forget();
                        }
                        writer.tell(News::Stored(stored, hops), Some((WINDOW, News::NotForAll)));
                    }
                }
                writer.end();
                return nothing;
            }
            // Those who accept a stale answer get it; the others ask for themselves. Nobody gets it while another
            // process or another node may have been told to forget it.
            let is_doubted = cache.successor.serves()
                || cache.is_cut_off(Instant::now())
                || cache.fleet.as_ref().is_some_and(|fleet| fleet.doubts(stored));
            let is_failure = matches!(response.status, 500 | 502..=504) && !is_doubted;
            if is_failure
                && may_serve_on_error(&RequestControl::default(), &stored.freshness, received)
                && let Some(writer) = self.writer.take()
            {
                writer.tell(News::Failed(Reason::UpstreamStatus, None), None);
                writer.end();
                return nothing;
            }
        }
        let kept = wanted.judge(response, received).map(|kept| match is_of_peer {
            true => kept.of_peer(stays),
            false => kept,
        });
        let mut response = response.clone();
        add_date(&mut response.fields);
        let status = response.status;
        let mut outdates = None;
        let (kept, storing, alone) = match kept {
            Ok(kept) => (Ok(kept.clone()), Some(Storing { wanted, kept, status }), None),
            Err(why) => {
                // A client that forced a new fetch takes nothing from those content with what is stored.
                if !wanted.is_of_use_to_others(received) && wanted.note_not_stored(status, why) {
                    outdates = Some(wanted);
                }
                (Err(why), None, Some((WINDOW, News::NotForAll)))
            }
        };
        let began = News::Began(Arc::new(Began { response, kept, is_of_peer }));
        FetchSink { head: Some(HeldHead { writer: &mut self.writer, began, alone }), storing, outdates, ..nothing }
    }
}

fn without(response: &Response, name: &[u8]) -> Response {
    let mut response = response.clone();
    response.fields.retain(|field| !field.name.eq_ignore_ascii_case(name));
    response
}

impl FetchSink<'_> {
    /// Discards the body.
    pub(crate) fn nowhere() -> Self {
        Self { head: None, to: None, storing: None, outdates: None, bytes: 0, is_cut: false }
    }

    pub(crate) fn has_sent(&self) -> bool {
        self.head.is_none()
    }

    pub(crate) fn begin(&mut self) {
        if let Some(HeldHead { writer, began, alone }) = self.head.take()
            && let Some(writer) = writer.take()
        {
            writer.tell(began, alone);
            self.to = Some(writer);
        }
    }

    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, ()>> {
        self.begin();
        match &mut self.to {
            Some(writer) => {
                let count = ready!(writer.poll_push(cx, data))?;
                self.bytes += count as u64;
                let bytes = self.bytes;
                if let Some(storing) = self.storing.take_if(|storing| bytes > storing.wanted.largest()) {
                    storing.wanted.give_up(Duration::MAX, false);
                    writer.stop_keeping(WINDOW);
                } else if self.storing.take_if(|storing| storing.wanted.is_beyond_its_share(bytes)).is_some() {
                    writer.stop_keeping(LEAST);
                }
                Poll::Ready(Ok(count))
            }
            None if self.is_cut => Poll::Ready(Err(())),
            // Read on although nobody wants it, so that the connection can be reused.
            None => Poll::Ready(Ok(data.len())),
        }
    }

    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        let held = self.head.as_mut().and_then(|head| head.writer.as_mut());
        self.is_cut || self.to.as_mut().or(held).is_some_and(|writer| writer.poll_abandoned(cx).is_ready())
    }

    pub(crate) fn end(&mut self) {
        if let Some(plan) = self.outdates.take() {
            plan.forget();
        }
        self.begin();
        let Some(writer) = self.to.take() else { return };
        let Some(Storing { wanted, kept, status }) = self.storing.take() else {
            writer.end();
            return;
        };
        if !kept.stays {
            writer.end();
            return;
        }
        let Storable { nominated, freshness, mut fields, sequence, .. } = kept;
        writer.end_with(|body| {
            let version = wanted.version.clone();
            wanted.vary_by_coding(status, &mut fields, body.len());
            let body = match &wanted.site.cache {
                Some(cache) => cache.bodies.count(body),
                None => body,
            };
            let mut stored = Stored::new(status, fields, body, freshness, version, sequence);
            stored.add_groups(&origin(&wanted.request.authority, wanted.is_https));
            wanted.put(&nominated, &Arc::new(stored));
        });
    }
}
