//! The principal type is [`CacheFetch`]: takes an application's answer for all who wait for it, and for the store.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use unladen_cache::{
    Asking as AskingFor, FetchWriter, Freshness, NoStore, Nominated, RequestControl, Sequence, Stored, Time,
    is_ordinary, is_passing_error, kept, may_serve_on_error, storable, update,
};
use unladen_files::Script;
use unladen_http1::{Fields, Length, Name, Request, Response};
use unladen_observability::Reason;

use super::cached_response::joined;
use super::codable::{SHORTEST, may_be_coded};
use super::news::{Began, News, Storable, hops};
use super::person::uncacheable_key;
use crate::proxy::Proxy;
use crate::site::Site;
use crate::tier::PeerPlan;
use crate::tier::words::{TIER, Told};

/// Of an answer that is not kept, so much may wait for the one client that gets it.
const WINDOW: usize = 256 * 1024;

/// A failure says little of the next answer.
const FAILURE: Duration = Duration::from_secs(1);

/// Bodies that are on their way may take this part of the memory …
const ON_ITS_WAY: u64 = 8;
/// … and each of them so much in any case.
const LEAST: usize = 64 * 1024;

/// What is fetched, and what for.
#[derive(Clone, Debug)]
pub(crate) struct FetchPlan {
    pub(crate) site: Arc<Site>,
    /// Where the application is called.
    pub(crate) proxy: Arc<Proxy>,
    /// What answers it, if that is a program that stands for its path.
    pub(crate) script: Option<Arc<Script>>,
    /// As the client asked: what is said of it in `Vary` and `Cache-Control` holds for what is stored.
    pub(crate) request: Request,
    pub(crate) is_https: bool,
    pub(crate) key: Vec<u8>,
    pub(crate) address: Option<IpAddr>,
    /// What is stored and no longer good: it is asked about.
    pub(crate) stored: Option<Arc<Stored>>,
    /// What the validator said before.
    pub(crate) version: Option<Box<[u8]>>,
    /// Whether a validator is asked for this page at all.
    pub(crate) is_validated: bool,
    pub(crate) requested: Time,
    pub(crate) sequence: Sequence,
    /// Whom to ask before the application is; none: nobody.
    pub(crate) peers: Option<PeerPlan>,
}

/// Takes an application's answer for all who wait for it, and for the store.
pub(crate) struct CacheFetch {
    pub(crate) wanted: FetchPlan,
    writer: Option<FetchWriter<News>>,
    /// While a peer is asked.
    asking: Option<Asking>,
}

/// A question to a peer.
#[derive(Debug)]
struct Asking {
    /// Whether the answer stays here.
    keeps: bool,
    outcome: PeerOutcome,
}

/// What became of a question to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeerOutcome {
    /// It has answered, to all who wait.
    Answered,
    /// It has said that it does not. All wait still.
    Refused,
    /// There was no answer. All wait still.
    Failed,
}

/// A peer's refusal is not longer, in bytes: its connection is worth reading it to its end.
const REFUSAL: u64 = 16 * 1024;
const STATUS: &[u8] = b"cache-status";

/// Where the body of such an answer goes.
#[derive(Debug)]
pub(crate) struct FetchSink<'a> {
    to: Option<FetchWriter<News>>,
    storing: Option<Storing<'a>>,
    bytes: u64,
    /// It is too long to be read to its end for nobody.
    is_cut: bool,
}

#[derive(Debug)]
struct Storing<'a> {
    wanted: &'a FetchPlan,
    kept: Storable,
    status: u16,
}

// === impl CacheFetch ===

impl CacheFetch {
    pub(crate) fn new(wanted: FetchPlan, writer: FetchWriter<News>) -> Self {
        Self { wanted, writer: Some(writer), asking: None }
    }

    /// The next answer is a peer's: one that is none is told to nobody. `keeps`: it stays here.
    pub(crate) fn begin_asking(&mut self, keeps: bool) {
        self.asking = Some(Asking { keeps, outcome: PeerOutcome::Failed });
    }

    /// What became of it.
    pub(crate) fn end_asking(&mut self) -> PeerOutcome {
        self.asking.take().map_or(PeerOutcome::Failed, |asking| asking.outcome)
    }

    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.wanted.address
    }

    /// Whether anybody waits for it.
    pub(crate) fn is_wanted(&self) -> bool {
        self.writer.as_ref().is_some_and(FetchWriter::has_readers)
    }

    /// Ready as soon as nobody waits for it any more, and nobody can.
    pub(crate) fn poll_unwanted(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.writer.as_mut().map_or(Poll::Pending, |writer| writer.poll_unwanted(cx))
    }

    /// There is no answer.
    pub(crate) fn failed(&mut self, reason: Reason, after: Option<Duration>) {
        if self.asking.is_some() {
            return;
        }
        if let Some(writer) = self.writer.take() {
            writer.tell(News::Failed(reason, after), None);
            writer.end();
        }
    }

    /// An answer's head is there: tells it to all who wait, and gives where its body goes to.
    pub(crate) fn caught(&mut self, response: &Response) -> FetchSink<'_> {
        let nothing = FetchSink::nowhere();
        let of_peer;
        let (mut response, mut stays) = (response, true);
        let is_of_peer = self.asking.is_some();
        if let Some(asking) = &mut self.asking {
            let expected = Told::of(self.wanted.version.as_deref());
            if Told::read(&response.fields) != Some(expected) {
                asking.outcome = PeerOutcome::Refused;
                let is_short = matches!(response.length, Length::None | Length::Exact(0..=REFUSAL));
                return FetchSink { is_cut: !is_short, ..nothing };
            }
            asking.outcome = PeerOutcome::Answered;
            stays = asking.keeps;
            of_peer = without(response, TIER);
            response = &of_peer;
        }
        let Some(writer) = self.writer.take() else { return nothing };
        let wanted = &self.wanted;
        let Some(cache) = &wanted.site.cache else { return nothing };
        let received = Time::now();
        if let Some(stored) = &wanted.stored {
            if response.status == 304 {
                // What a peer's cache did this time is not a part of the page.
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
                    // It is for this client alone; and from now on perhaps for nobody else.
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
            // Who may be answered with what is stale is; the others ask for themselves. Beside another process that may
            // have been told to forget it, nobody is; nor where other nodes may have purged it.
            let is_doubted = cache.successor.serves()
                || cache.is_cut_off(Instant::now())
                || cache.fleet.as_ref().is_some_and(|fleet| fleet.doubts(stored));
            let is_failure = matches!(response.status, 500 | 502..=504) && !is_doubted;
            if is_failure && may_serve_on_error(&RequestControl::default(), &stored.freshness, received) {
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
        if response.fields.get(Name::Date).is_none() {
            let mut date = Vec::with_capacity(32);
            crate::date::write_date(&mut date, Instant::now());
            response.fields.push(b"date", &date);
        }
        match kept {
            Ok(kept) => {
                let status = response.status;
                writer.tell(News::Began(Arc::new(Began { response, kept: Ok(kept.clone()), is_of_peer })), None);
                let storing = Some(Storing { wanted, kept, status });
                FetchSink { to: Some(writer), storing, bytes: 0, is_cut: false }
            }
            Err(why) => {
                // Whoever has had it asked for anew takes nothing from those who are content with what is there.
                if !wanted.is_of_use_to_others(received) {
                    wanted.remember(response.status, why);
                }
                let began = News::Began(Arc::new(Began { response, kept: Err(why), is_of_peer }));
                writer.tell(began, Some((WINDOW, News::NotForAll)));
                FetchSink { to: Some(writer), storing: None, bytes: 0, is_cut: false }
            }
        }
    }
}

// === impl FetchPlan ===

impl FetchPlan {
    /// An answer was not kept, and nothing answers in its place.
    fn remember(&self, status: u16, why: NoStore) {
        if status >= 500 {
            self.give_up(FAILURE, true);
        } else if is_of_the_resource(why) && !is_fault_of_a_request(status) {
            // What an odd request brought about is no hint for those that come after it.
            if is_ordinary(&self.request) {
                self.give_up(Duration::MAX, true);
            }
            // What was for all is not for all any more.
            self.forget();
        }
    }

    /// For a while, nobody waits for another's answer to this; if it was for one user, it is their own requests that do
    /// not. `is_seen`: of the next answer's head it is seen whether that is kept.
    fn give_up(&self, longest: Duration, is_seen: bool) {
        if let Some(cache) = &self.site.cache {
            let until = Instant::now() + cache.settings.uncacheable.min(longest);
            let has_cookies = cache.policy.has_cookies(&self.request.fields);
            cache.store.set_uncacheable(&uncacheable_key(&self.key, &self.request, has_cookies), until, is_seen);
        }
    }

    /// The longest body that is stored.
    fn largest(&self) -> u64 {
        self.site.cache.as_ref().map_or(0, |cache| cache.settings.largest)
    }

    /// Whether more is on its way into memory than may be, and this one, with so many bytes, has more than its part of
    /// it.
    fn is_beyond_its_share(&self, bytes: u64) -> bool {
        let Some(cache) = &self.site.cache else { return true };
        let (fills, held) = cache.fetches.in_flight();
        let all = cache.settings.memory / ON_ITS_WAY;
        held > all && bytes > (all / fills.max(1) as u64).max(LEAST as u64)
    }

    /// Whether an answer is kept, and for whom.
    pub(crate) fn judge(&self, response: &Response, received: Time) -> Result<Storable, NoStore> {
        let Some(cache) = &self.site.cache else { return Err(NoStore::NoStore) };
        let policy = &cache.policy;
        let asking = AskingFor::of(&self.request, policy, self.is_validated);
        let freshness = storable(&asking, response, policy, self.requested, received)?;
        // Who asks for a page anew cannot have an error in its place.
        if is_passing_error(response.status) && self.is_of_use_to_others(received) {
            return Err(NoStore::Status);
        }
        let nominated = self.nominated(response.status, &response.fields).ok_or(NoStore::VaryAll)?;
        let mut variant = Vec::new();
        nominated.write_variant(&self.request, policy, &mut variant);
        let fields = self.fields(response);
        Ok(Storable { nominated, variant, freshness, fields, sequence: self.sequence, stays: true })
    }

    /// What is kept of an answer's head.
    fn fields(&self, response: &Response) -> Fields {
        let mut fields = kept(&response.fields);
        if fields.get(Name::Date).is_none() {
            let mut date = Vec::with_capacity(32);
            crate::date::write_date(&mut date, Instant::now());
            fields.push(b"date", &date);
        }
        self.with_cookies(&mut fields, response);
        fields
    }

    /// Keeps `Set-Cookie`, if whoever runs this has said so.
    fn with_cookies(&self, fields: &mut Fields, response: &Response) {
        let is_set = |name: &[u8]| name.eq_ignore_ascii_case(b"set-cookie");
        if self.site.cache.as_ref().is_some_and(|cache| cache.settings.store_set_cookie)
            && response.fields.iter().any(|field| is_set(field.name))
        {
            fields.retain(|field| !is_set(field.name));
            for field in response.fields.iter().filter(|field| is_set(field.name)) {
                fields.push(field.name, field.value);
            }
        }
    }

    /// Says that the answer depends on the codings that a client takes, if its body may come to be sent in another.
    fn vary_by_coding(&self, status: u16, fields: &mut Fields, length: usize) {
        if !self.site.settings.compress || status != 200 || length < SHORTEST || !may_be_coded(fields) {
            return;
        }
        let listed = joined(fields, b"vary").unwrap_or_default().into_owned();
        let mut names = listed.split(|byte| *byte == b',');
        if !names.any(|name| name.trim_ascii().eq_ignore_ascii_case(b"accept-encoding")) {
            let separator: &[u8] = if listed.is_empty() { b"" } else { b", " };
            fields.set(b"vary", &[&listed, separator, b"accept-encoding"].concat());
        }
    }

    /// What is stored from now on, and whether it may be.
    fn freshened(&self, stored: &Stored, response: &Response, received: Time) -> (Stored, Result<(), NoStore>) {
        let mut fields = update(&stored.fields, &response.fields);
        self.with_cookies(&mut fields, response);
        let policy = self.site.cache.as_ref().map(|cache| cache.policy.clone()).unwrap_or_default();
        let whole = Response { status: stored.status, fields, ..Response::default() };
        let asking = AskingFor::of(&self.request, &policy, self.version.is_some());
        let is_kept = storable(&asking, &whole, &policy, self.requested, received);
        // For whoever has asked, if it is for nobody else.
        let freshness =
            is_kept.unwrap_or_else(|_| Freshness::of(stored.status, &whole.fields, self.requested, received, &policy));
        let mut fields = kept(&whole.fields);
        self.with_cookies(&mut fields, &whole);
        // A 304 has an application's own `Vary`, and what the body has been put into stays.
        self.vary_by_coding(stored.status, &mut fields, stored.body.len());
        let mut stored = stored.freshened(fields, freshness, self.version.clone(), self.sequence);
        stored.add_groups(&origin(&self.request.authority, self.is_https));
        (stored, is_kept.map(drop))
    }

    /// Whether what is stored answers others as it is: it was not found wanting, one client has asked for more.
    fn is_of_use_to_others(&self, now: Time) -> bool {
        self.stored.as_ref().is_some_and(|stored| {
            let is_current = match (&self.version, &stored.version) {
                (Some(version), Some(label)) => version == label,
                (None, None) => !stored.freshness.no_cache && stored.freshness.is_fresh(now),
                _ => false,
            };
            is_current && !stored.is_soft_purged()
        })
    }

    /// Forgets what was asked about: this variant, and no other.
    fn forget(&self) {
        if let (Some(cache), Some(stored)) = (&self.site.cache, &self.stored) {
            cache.store.remove(&self.key, stored);
        }
    }

    /// The request fields that an answer depends on; but not on codings, if it is plain: those are made of it here, and
    /// whoever takes none of them takes it as it is.
    fn nominated(&self, status: u16, fields: &Fields) -> Option<Nominated> {
        let mut nominated = Nominated::of(fields).filter(is_of_the_client)?;
        if self.site.settings.compress && status == 200 && may_be_coded(fields) {
            nominated.0.retain(|name| **name != *b"accept-encoding");
        }
        Some(nominated)
    }

    /// Stores it, unless it was purged meanwhile.
    fn put(&self, nominated: &Nominated, stored: &Arc<Stored>) -> bool {
        let Some(cache) = &self.site.cache else { return false };
        let variant = |nominated: &Nominated| {
            let mut variant = Vec::new();
            nominated.write_variant(&self.request, &cache.policy, &mut variant);
            variant
        };
        cache.store.put(&self.key, nominated, variant, stored.clone())
    }
}

/// The same, but for this field.
fn without(response: &Response, name: &[u8]) -> Response {
    let mut response = response.clone();
    response.fields.retain(|field| !field.name.eq_ignore_ascii_case(name));
    response
}

/// Whether the next answer will not be kept either, whoever asks.
fn is_of_the_resource(why: NoStore) -> bool {
    !matches!(
        why,
        NoStore::Method | NoStore::RequestNoStore | NoStore::Authorization | NoStore::Cookies | NoStore::OddRequest
    )
}

/// Whether it is about what one client sent, and not about what it asked for.
fn is_fault_of_a_request(status: u16) -> bool {
    matches!(status, 400 | 402 | 405..=409 | 411..=450 | 452..=499)
}

/// Whether all that a response depends on is what clients said: by whom and where from it was asked is added on the
/// way.
fn is_of_the_client(nominated: &Nominated) -> bool {
    !nominated.0.iter().any(|name| matches!(&**name, b"x-forwarded-for" | b"forwarded"))
}

/// Whose groups are meant (RFC 9875, section 2).
pub(crate) fn origin(authority: &[u8], is_https: bool) -> Vec<u8> {
    let scheme: &[u8] = if is_https { b"https://" } else { b"http://" };
    [scheme, &authority.to_ascii_lowercase()].concat()
}

// === impl FetchSink ===

impl FetchSink<'_> {
    /// For a body that nobody wants.
    pub(crate) fn nowhere() -> Self {
        Self { to: None, storing: None, bytes: 0, is_cut: false }
    }

    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, ()>> {
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
            // Nobody wants it, but the connection can be used again.
            None => Poll::Ready(Ok(data.len())),
        }
    }

    /// Whether nobody wants the rest of it.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> bool {
        self.is_cut || self.to.as_mut().is_some_and(|writer| writer.poll_abandoned(cx).is_ready())
    }

    /// The body is whole.
    pub(crate) fn end(&mut self) {
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
