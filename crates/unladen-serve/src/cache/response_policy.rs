//! The principal type is [`ResponsePolicy`]: what a site does to an answer that goes straight to a client.

use std::cell::Cell;
use std::sync::Arc;

use unladen_cache::{
    Asking, CacheStatus, Forwarded, Mark, Purge, Time, group_invalidations, group_tag, invalidates, storable, targets,
    write_key,
};
use unladen_fleet::What;
use unladen_http1::{Fields, Request, Response};

use super::cache_lookup::{CacheLookup, ValidatorAnswer};
use super::fetch_plan::origin;
use super::what;
use crate::site::Site;

#[derive(Debug)]
pub(crate) struct ResponsePolicy {
    pub(crate) site: Arc<Site>,
    pub(crate) is_https: bool,
    pub(crate) forwarded: Option<Forwarded>,
    pub(crate) why: &'static str,
    pub(crate) lifting: Option<Lifting>,
    /// The request, if it may change something.
    pub(crate) unsafe_request: Option<Request>,
    pub(crate) is_done: Cell<bool>,
}

/// A mark that answers were not kept, and how another answer is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lifting {
    mark: Mark,
    asking: Asking,
}

impl Lifting {
    /// `None` for a request whose own kind (not GET, a range) keeps its answer from being stored: it proves nothing.
    pub(crate) fn of(cache_lookup: &CacheLookup<'_>, key: &[u8]) -> Option<Self> {
        let request = cache_lookup.request;
        if request.method != b"GET" || request.fields.find(b"range").is_some() {
            return None;
        }
        let mark = cache_lookup.mark(key)?;
        let is_validated = matches!(cache_lookup.known, ValidatorAnswer::Version(_));
        Some(Self { mark, asking: Asking::of(request, &cache_lookup.cache.policy, is_validated) })
    }

    /// Ends the mark as soon as an answer could be kept, so that one client cannot disable a page's caching for longer.
    fn look_at(&self, response: &Response, site: &Site) {
        let Some(cache) = &site.cache else { return };
        let now = Time::now();
        if response.status >= 200 && storable(&self.asking, response, &cache.policy, now, now).is_ok() {
            cache.store.lift(self.mark);
        }
    }
}

impl ResponsePolicy {
    /// Applies the answer's invalidations, and returns the fields to add.
    pub(crate) fn answered(&self, response: &Response) -> Fields {
        if let Some(lifting) = &self.lifting {
            lifting.look_at(response, &self.site);
        }
        if !self.is_done.replace(true)
            && let Some(request) = &self.unsafe_request
        {
            self.invalidate(request, response);
        }
        let mut more = Fields::default();
        if let Some(forwarded) = self.forwarded {
            let status = CacheStatus {
                forwarded: Some(forwarded),
                forwarded_status: Some(response.status),
                detail: (!self.why.is_empty()).then_some(self.why),
                ..CacheStatus::default()
            };
            push_status(&mut more, &status);
        }
        self.site.add_own(&mut more, self.is_https);
        if let (Some(author), Some(_)) = (&self.site.author, &self.unsafe_request) {
            author.mark(&mut more, self.is_https);
        }
        if response.status == 503 && response.fields.find(b"retry-after").is_none() {
            more.push(b"retry-after", self.site.settings.retry_after.as_secs().max(1).to_string().as_bytes());
        }
        more
    }

    /// Runs before the client can know that its request was done, and ask for what it changed.
    fn invalidate(&self, request: &Request, response: &Response) {
        let Some(cache) = &self.site.cache else { return };
        if !invalidates(&request.method, response.status) {
            return;
        }
        let forget = |request: &Request| {
            let mut key = Vec::new();
            write_key(request, self.is_https, &cache.policy, &mut key);
            cache.forget(&Purge::Key(key), false);
            if let Some(fleet) = &cache.fleet {
                fleet.announce(what(request, Some(self.is_https), false), false);
            }
        };
        forget(request);
        for target in targets(request, response, self.is_https) {
            forget(&Request { target, authority: request.authority.clone(), ..Request::default() });
        }
        for group in group_invalidations(&response.fields) {
            let tag = group_tag(&origin(&request.authority, self.is_https), &group);
            cache.forget(&Purge::Tag(tag.clone()), false);
            if let Some(fleet) = &cache.fleet {
                fleet.announce(What::Tag(tag.into()), false);
            }
        }
    }
}

/// Our name in `Cache-Status`.
pub(crate) const NAME: &str = "unladen";

pub(crate) fn push_status(more: &mut Fields, status: &CacheStatus<'_>) {
    let mut value = Vec::with_capacity(64);
    status.write(NAME, &mut value);
    more.push(b"cache-status", &value);
}

impl Site {
    pub(crate) fn add_own(&self, more: &mut Fields, is_https: bool) {
        if is_https && let Some(hsts) = &self.settings.hsts {
            more.push(b"strict-transport-security", hsts.as_bytes());
        }
    }
}

/// Whether a request may change something (RFC 9110, section 9.2.1).
pub(crate) fn is_unsafe(request: &Request) -> bool {
    !matches!(&*request.method, b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE")
}

/// The parts of a request needed once it is answered.
pub(crate) fn copy_of(request: &Request) -> Request {
    Request {
        method: request.method.clone(),
        target: request.target.clone(),
        authority: request.authority.clone(),
        ..Request::default()
    }
}
