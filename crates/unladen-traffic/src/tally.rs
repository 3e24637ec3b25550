//! The principal type is [`Tally`]: what is counted of one kind.

use serde::Serialize;

use crate::carried::carried;
use crate::entry::{Entry, Method};
use crate::sample::{Sample, Sampler};
use crate::{change, secrets};

/// Requests by the class of their status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StatusCounts {
    pub informational: u64,
    pub success: u64,
    pub redirection: u64,
    pub client_error: u64,
    pub server_error: u64,
    /// Not answered.
    pub none: u64,
}

/// Requests by method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MethodCounts {
    pub get: u64,
    pub head: u64,
    pub other: u64,
}

/// Requests of which the log says whether a cache answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CacheCounts {
    pub hits: u64,
    pub misses: u64,
}

/// GET requests, answered 2xx or 3xx, of which no URL is kept for measuring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// See [`looks_like_a_change`](crate::looks_like_a_change).
    pub changes: u64,
    /// A token, a password or an address in the URL.
    pub secrets: u64,
    /// URLs of more than 1 KiB, or with characters that no request can carry.
    pub other: u64,
}

#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) requests: u64,
    pub(crate) bytes: u64,
    pub(crate) statuses: StatusCounts,
    pub(crate) methods: MethodCounts,
    pub(crate) cache: CacheCounts,
    pub(crate) signed_in: u64,
    pub(crate) crawlers: u64,
    /// Requests with a time, and their sum, ns; likewise CPU time.
    pub(crate) elapsed: (u64, u64),
    pub(crate) cpu: (u64, u64),
    pub(crate) left_out: LeftOut,
    pub(crate) change: Option<&'static str>,
    pub(crate) sample: Sample,
}

impl Tally {
    /// Counts a request, of a kind of what was not found or of another; tells why its target looks like a change.
    pub(crate) fn add(
        &mut self,
        entry: &Entry<'_>,
        is_crawler: bool,
        is_unknown: bool,
        sampler: &mut Sampler,
    ) -> Option<&'static str> {
        self.requests += 1;
        self.bytes = self.bytes.saturating_add(entry.bytes);
        let statuses = &mut self.statuses;
        *match entry.status {
            None => &mut statuses.none,
            Some(..200) => &mut statuses.informational,
            Some(200..300) => &mut statuses.success,
            Some(300..400) => &mut statuses.redirection,
            Some(400..500) => &mut statuses.client_error,
            Some(500..) => &mut statuses.server_error,
        } += 1;
        *match entry.method {
            Method::Get => &mut self.methods.get,
            Method::Head => &mut self.methods.head,
            Method::Other => &mut self.methods.other,
        } += 1;
        self.cache.hits += u64::from(entry.is_hit == Some(true));
        self.cache.misses += u64::from(entry.is_hit == Some(false));
        self.signed_in += u64::from(entry.is_signed_in);
        self.crawlers += u64::from(is_crawler);
        for (sum, value) in [(&mut self.elapsed, entry.elapsed_ns), (&mut self.cpu, entry.cpu_ns)] {
            if let Some(value) = value {
                *sum = (sum.0 + 1, sum.1.saturating_add(value));
            }
        }
        let is_answered = match is_unknown {
            true => matches!(entry.status, Some(404 | 410)),
            false => matches!(entry.status, Some(200..400)),
        };
        if is_answered && entry.method == Method::Get { self.sample(entry.target, sampler) } else { None }
    }

    fn sample(&mut self, target: &[u8], sampler: &mut Sampler) -> Option<&'static str> {
        if sampler.again(&mut self.sample, target) {
            return None;
        }
        let Ok(text) = carried(target) else {
            self.left_out.other += 1;
            return None;
        };
        let change = change::looks_like_a_change(&text);
        if change.is_some() {
            self.left_out.changes += 1;
            self.change = change;
            return change;
        }
        match secrets::shareable(text.as_bytes()).as_deref().map(std::str::from_utf8) {
            Some(Ok(url)) => self.left_out.other += u64::from(!sampler.add(&mut self.sample, url)),
            _ => self.left_out.secrets += 1,
        }
        None
    }

    pub(crate) fn merge(&mut self, other: Self, sampler: &mut Sampler) {
        let (a, b) = (&mut self.statuses, other.statuses);
        a.informational += b.informational;
        a.success += b.success;
        a.redirection += b.redirection;
        a.client_error += b.client_error;
        a.server_error += b.server_error;
        a.none += b.none;
        let (a, b) = (&mut self.methods, other.methods);
        a.get += b.get;
        a.head += b.head;
        a.other += b.other;
        let (a, b) = (&mut self.left_out, other.left_out);
        a.changes += b.changes;
        a.secrets += b.secrets;
        a.other += b.other;
        self.requests += other.requests;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.cache.hits += other.cache.hits;
        self.cache.misses += other.cache.misses;
        self.signed_in += other.signed_in;
        self.crawlers += other.crawlers;
        for (a, b) in [(&mut self.elapsed, other.elapsed), (&mut self.cpu, other.cpu)] {
            *a = (a.0 + b.0, a.1.saturating_add(b.1));
        }
        self.change = self.change.or(other.change);
        sampler.merge(&mut self.sample, other.sample);
    }
}
