//! The principal type is [`FetchPlan`]: a request to the application, its purpose, and what is kept of the answer.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_cache::{
    Asking as AskingFor, Freshness, NoStore, Nominated, Sequence, Stored, Time, is_ordinary, is_passing_error, kept,
    storable, update,
};
use unladen_files::Script;
use unladen_http1::{Fields, Request, Response};

use super::Storable;
use super::cache_lookup::uncacheable_key;
use super::coded::{SHORTEST, joined, may_be_coded};
use crate::message::add_date;
use crate::proxy::Proxy;
use crate::site::Site;
use crate::tier::PeerPlan;

/// How long a failure counts against the next answer, of which it says little.
const FAILURE: Duration = Duration::from_secs(1);

/// Fraction of the cache's memory for bodies under way …
const ON_ITS_WAY: u64 = 8;
/// … and bytes each of them may have in any case.
pub(super) const LEAST: usize = 64 * 1024;

#[derive(Clone, Debug)]
pub(crate) struct FetchPlan {
    pub(crate) site: Arc<Site>,
    pub(crate) proxy: Arc<Proxy>,
    pub(crate) script: Option<Arc<Script>>,
    /// As the client sent it: the stored response's `Vary` and `Cache-Control` refer to this.
    pub(crate) request: Request,
    pub(crate) is_https: bool,
    pub(crate) key: Vec<u8>,
    pub(crate) address: Option<IpAddr>,
    /// Stored and stale, to be revalidated.
    pub(crate) stored: Option<Arc<Stored>>,
    /// Version that the validator gave before the fetch.
    pub(crate) version: Option<Box<[u8]>>,
    pub(crate) is_validated: bool,
    pub(crate) requested: Time,
    pub(crate) sequence: Sequence,
    pub(crate) peers: Option<PeerPlan>,
}

impl FetchPlan {
    /// Notes that an answer will not be kept, and nothing stored answers in its place. Whether what was shared no longer
    /// is, once the answer is whole: until then, it may have to stand in for it.
    pub(super) fn note_not_stored(&self, status: u16, why: NoStore) -> bool {
        if status >= 500 {
            self.give_up(FAILURE, true);
            return false;
        }
        let is_outdated = is_of_the_resource(why) && !is_fault_of_a_request(status);
        // The effect of an odd request says nothing about later ones.
        if is_outdated && is_ordinary(&self.request) {
            self.give_up(Duration::MAX, true);
        }
        is_outdated
    }

    /// For a while requests for this do not wait for each other's answers; if the answer was for one user, only that
    /// user's. `is_seen`: the head of the next answer decides whether that one is kept.
    pub(super) fn give_up(&self, longest: Duration, is_seen: bool) {
        if let Some(cache) = &self.site.cache {
            let until = Instant::now() + cache.settings.uncacheable.min(longest);
            let has_cookies = cache.policy.has_cookies(&self.request.fields);
            cache.store.set_uncacheable(&uncacheable_key(&self.key, &self.request, has_cookies), until, is_seen);
        }
    }

    pub(super) fn largest(&self) -> u64 {
        self.site.cache.as_ref().map_or(0, |cache| cache.settings.largest)
    }

    /// Whether too much is under way into memory, and this fetch, of `bytes`, exceeds its share.
    pub(super) fn is_beyond_its_share(&self, bytes: u64) -> bool {
        let Some(cache) = &self.site.cache else { return true };
        let (fills, held) = cache.fetches.in_flight();
        let all = cache.settings.memory / ON_ITS_WAY;
        held > all && bytes > (all / fills.max(1) as u64).max(LEAST as u64)
    }

    pub(crate) fn judge(&self, response: &Response, received: Time) -> Result<Storable, NoStore> {
        let Some(cache) = &self.site.cache else { return Err(NoStore::NoStore) };
        let policy = &cache.policy;
        let asking = AskingFor::of(&self.request, policy, self.is_validated);
        let freshness = storable(&asking, response, policy, self.requested, received)?;
        // A forced fetch must not replace a good page with an error, nor an odd request one with a non-success.
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

    fn fields(&self, response: &Response) -> Fields {
        let mut fields = kept(&response.fields);
        add_date(&mut fields);
        self.with_cookies(&mut fields, response);
        fields
    }

    /// Keeps `Set-Cookie`, if the configuration says so.
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

    /// Adds `Vary: Accept-Encoding` if the body may come to be sent in another coding.
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

    /// The stored response updated by a 304, and whether it may be kept.
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
        // For the client that asked, if for nobody else.
        let freshness =
            is_kept.unwrap_or_else(|_| Freshness::of(stored.status, &whole.fields, self.requested, received, &policy));
        let mut fields = kept(&whole.fields);
        self.with_cookies(&mut fields, &whole);
        // A 304 carries the application's `Vary`; the stored codings stay.
        self.vary_by_coding(stored.status, &mut fields, stored.body.len());
        let mut stored = stored.freshened(fields, freshness, self.version.clone(), self.sequence);
        stored.add_groups(&origin(&self.request.authority, self.is_https));
        (stored, is_kept.map(drop))
    }

    /// Whether the stored response still serves others: it was not found stale, one client asked for more.
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

    /// Removes this variant, and no other.
    pub(super) fn forget(&self) {
        if let (Some(cache), Some(stored)) = (&self.site.cache, &self.stored) {
            cache.store.remove(&self.key, stored);
        }
    }

    /// Request fields the answer varies by. `Accept-Encoding` is left out for an uncoded body: codings are made here,
    /// and a client that takes none gets it as it is.
    pub(super) fn nominated(&self, status: u16, fields: &Fields) -> Option<Nominated> {
        let mut nominated = Nominated::of(fields).filter(is_of_the_client)?;
        if self.site.settings.compress && status == 200 && may_be_coded(fields) {
            nominated.0.retain(|name| **name != *b"accept-encoding");
        }
        Some(nominated)
    }

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

/// Whether the status is about what one client sent rather than about the resource.
fn is_fault_of_a_request(status: u16) -> bool {
    matches!(status, 400 | 402 | 405..=409 | 411..=450 | 452..=499)
}

/// Whether the answer varies only by fields that clients send, not by those added on the way.
fn is_of_the_client(nominated: &Nominated) -> bool {
    !nominated.0.iter().any(|name| matches!(&**name, b"x-forwarded-for" | b"forwarded"))
}

/// Origin that groups belong to (RFC 9875, section 2).
pub(crate) fn origin(authority: &[u8], is_https: bool) -> Vec<u8> {
    let scheme: &[u8] = if is_https { b"https://" } else { b"http://" };
    [scheme, &authority.to_ascii_lowercase()].concat()
}
