//! The principal type is [`FetchPlan`]: what an application is asked for, what for, and what of its answer is kept.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_cache::{
    Asking as AskingFor, Freshness, NoStore, Nominated, Sequence, Stored, Time, is_ordinary, is_passing_error, kept,
    storable, update,
};
use unladen_files::Script;
use unladen_http1::{Fields, Name, Request, Response};

use super::cached_response::joined;
use super::codable::{SHORTEST, may_be_coded};
use super::news::Storable;
use super::person::uncacheable_key;
use crate::proxy::Proxy;
use crate::site::Site;
use crate::tier::PeerPlan;

/// A failure says little of the next answer.
const FAILURE: Duration = Duration::from_secs(1);

/// Bodies that are on their way may take this part of the memory …
const ON_ITS_WAY: u64 = 8;
/// … and each of them so much in any case.
pub(super) const LEAST: usize = 64 * 1024;

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

impl FetchPlan {
    /// An answer was not kept, and nothing answers in its place.
    pub(super) fn remember(&self, status: u16, why: NoStore) {
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
    pub(super) fn give_up(&self, longest: Duration, is_seen: bool) {
        if let Some(cache) = &self.site.cache {
            let until = Instant::now() + cache.settings.uncacheable.min(longest);
            let has_cookies = cache.policy.has_cookies(&self.request.fields);
            cache.store.set_uncacheable(&uncacheable_key(&self.key, &self.request, has_cookies), until, is_seen);
        }
    }

    /// The longest body that is stored.
    pub(super) fn largest(&self) -> u64 {
        self.site.cache.as_ref().map_or(0, |cache| cache.settings.largest)
    }

    /// Whether more is on its way into memory than may be, and this one, with so many bytes, has more than its part of
    /// it.
    pub(super) fn is_beyond_its_share(&self, bytes: u64) -> bool {
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
        // Who asks for a page anew cannot have an error in its place; nor, with what others do not say, anything but one.
        let is_odd = response.status >= 300 && !asking.is_usual();
        if (is_passing_error(response.status) || is_odd) && self.is_of_use_to_others(received) {
            return Err(if is_odd { NoStore::OddRequest } else { NoStore::Status });
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
    pub(super) fn vary_by_coding(&self, status: u16, fields: &mut Fields, length: usize) {
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
    pub(super) fn freshened(
        &self,
        stored: &Stored,
        response: &Response,
        received: Time,
    ) -> (Stored, Result<(), NoStore>) {
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
    pub(super) fn is_of_use_to_others(&self, now: Time) -> bool {
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
    pub(super) fn forget(&self) {
        if let (Some(cache), Some(stored)) = (&self.site.cache, &self.stored) {
            cache.store.remove(&self.key, stored);
        }
    }

    /// The request fields that an answer depends on; but not on codings, if it is plain: those are made of it here, and
    /// whoever takes none of them takes it as it is.
    pub(super) fn nominated(&self, status: u16, fields: &Fields) -> Option<Nominated> {
        let mut nominated = Nominated::of(fields).filter(is_of_the_client)?;
        if self.site.settings.compress && status == 200 && may_be_coded(fields) {
            nominated.0.retain(|name| **name != *b"accept-encoding");
        }
        Some(nominated)
    }

    /// Stores it, unless it was purged meanwhile.
    pub(super) fn put(&self, nominated: &Nominated, stored: &Arc<Stored>) -> bool {
        let Some(cache) = &self.site.cache else { return false };
        let variant = |nominated: &Nominated| {
            let mut variant = Vec::new();
            nominated.write_variant(&self.request, &cache.policy, &mut variant);
            variant
        };
        cache.store.put(&self.key, nominated, variant, stored.clone())
    }
}

/// Whether the next answer will not be kept either, whoever asks.
pub(super) fn is_of_the_resource(why: NoStore) -> bool {
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
