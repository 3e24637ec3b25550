//! The principal type is [`Touch`]: what a front does to an answer of the application that goes straight to a client.

use std::cell::Cell;
use std::sync::Arc;

use unladen_cache::{CacheStatus, Forwarded, Purge, group_invalidations, group_tag, invalidates, targets, write_key};
use unladen_http1::{Fields, Request, Response};

use super::Front;
use super::catch::origin;

/// What a front does to an answer of the application that goes straight to a client.
#[derive(Debug)]
pub(crate) struct Touch {
    pub(crate) front: Arc<Front>,
    pub(crate) is_https: bool,
    pub(crate) forwarded: Option<Forwarded>,
    pub(crate) why: &'static str,
    /// Of a request that may change something: what it was for.
    pub(crate) unsafe_request: Option<Request>,
    /// It is done once, whichever answer goes out first.
    pub(crate) is_done: Cell<bool>,
}

// === impl Touch ===

impl Touch {
    /// Forgets what the answer says is no longer good, and gives the fields that the answer gets besides.
    pub(crate) fn answered(&self, response: &Response) -> Fields {
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
        self.front.add_own(&mut more, self.is_https);
        if response.status == 503 && response.fields.find(b"retry-after").is_none() {
            more.push(b"retry-after", self.front.settings.retry_after.as_secs().max(1).to_string().as_bytes());
        }
        more
    }

    /// Before the client can know that it was done, and ask for what it changed.
    fn invalidate(&self, request: &Request, response: &Response) {
        let Some(cache) = &self.front.cache else { return };
        if !invalidates(&request.method, response.status) {
            return;
        }
        let mut key = Vec::new();
        write_key(request, self.is_https, &cache.policy, &mut key);
        cache.forget(&Purge::Key(key), false);
        for target in targets(request, response, self.is_https) {
            let other = Request { target, authority: request.authority.clone(), ..Request::default() };
            let mut key = Vec::new();
            write_key(&other, self.is_https, &cache.policy, &mut key);
            cache.forget(&Purge::Key(key), false);
        }
        for group in group_invalidations(&response.fields) {
            cache.forget(&Purge::Tag(group_tag(&origin(&request.authority, self.is_https), &group)), false);
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

impl Front {
    /// What all answers get.
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

/// What is needed of it once it is answered.
pub(crate) fn copy_of(request: &Request) -> Request {
    Request {
        method: request.method.clone(),
        target: request.target.clone(),
        authority: request.authority.clone(),
        ..Request::default()
    }
}
