//! [`storable`]: whether a response may be stored by a shared cache (RFC 9111, section 3); [`kept`]: what of it is.

use unladen_http1::{Field, Fields, Length, Name, Request, Response};

use crate::freshness::{is_heuristically_cacheable, is_passing_error};
use crate::ordinary::{is_ordinary, is_usual};
use crate::text::{lines, members};
use crate::{Freshness, Nominated, Policy, RequestControl, ResponseControl, Time};

/// Why a response is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoStore {
    /// Neither GET nor HEAD.
    Method,
    /// The request has `no-store`.
    RequestNoStore,
    /// A status whose meaning for caches is not known, with `must-understand`; or 206, 304, or one that is not final;
    /// or one that is about this request alone: its credentials, its conditions, its range, its size. Under a
    /// validator: none of those that are kept until it has another answer.
    Status,
    /// An error, or a redirect, that the request may have brought about itself: it is none that a cache would send
    /// ([`is_ordinary`]).
    OddRequest,
    /// The response has `no-store`.
    NoStore,
    /// The response has `private`.
    Private,
    /// The request was authorized, and the response does not say that others may have it.
    Authorization,
    /// The response sets cookies.
    SetCookie,
    /// `Vary: *`, or one that cannot be read.
    VaryAll,
    /// It says neither how long it is fresh nor how to ask whether it still is.
    NoLifetime,
    /// The request had cookies, and the response says nothing of who may have it.
    Cookies,
    /// Its body is longer than what is stored.
    TooLarge,
}

/// What of a request matters to whether its response may be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    is_safe: bool,
    no_store: bool,
    is_authorized: bool,
    has_cookies: bool,
    is_ordinary: bool,
    /// It says nothing but what all say ([`is_usual`]), and has no cookies that matter.
    is_usual: bool,
    /// A validator tells whether the response is current, so that it needs neither a lifetime nor a way to ask.
    is_validated: bool,
}

impl Asking {
    /// Of a request. `is_validated`: a validator tells whether the response is current.
    pub fn of(request: &Request, policy: &Policy, is_validated: bool) -> Self {
        let has_cookies = policy.has_cookies(&request.fields);
        Self {
            is_safe: matches!(&*request.method, b"GET" | b"HEAD"),
            no_store: RequestControl::of(&request.fields).no_store,
            is_authorized: fields_have(&request.fields, b"authorization"),
            has_cookies,
            is_ordinary: is_ordinary(request),
            is_usual: !has_cookies && is_usual(request),
            is_validated,
        }
    }

    /// Whether the cache would send it itself.
    pub fn is_ordinary(&self) -> bool {
        self.is_ordinary
    }

    /// Whether it says nothing but what all say.
    pub fn is_usual(&self) -> bool {
        self.is_usual
    }
}

/// Whether a response may be stored, and how fresh it is.
///
/// Under a validator there is no lifetime to end what went wrong: what is stored is served until the validator has
/// another answer. So nothing but pages is kept there (200, 203, 204), and those statuses that the policy names; no
/// error of a server, ever. An error that says itself how long it may be kept is, but no longer than the policy allows.
/// So is a redirect, a 404 or a 410 to a request that says more than others.
pub fn storable(
    asking: &Asking,
    response: &Response,
    policy: &Policy,
    requested: Time,
    received: Time,
) -> Result<Freshness, NoStore> {
    if !asking.is_safe {
        return Err(NoStore::Method);
    }
    if asking.no_store {
        return Err(NoStore::RequestNoStore);
    }
    let validated = asking.is_validated;
    let fields = &response.fields;
    let status = response.status;
    let control = ResponseControl::of(fields);
    if is_for_one_request(status) || (control.must_understand && !is_understood(status)) {
        return Err(NoStore::Status);
    }
    if validated && !is_kept_under_a_validator(status, policy) {
        return Err(NoStore::Status);
    }
    // Whoever comes next, and asks as one does, may well get another answer.
    if status >= 300 && (!asking.is_ordinary || (validated && !asking.is_usual)) {
        return Err(NoStore::OddRequest);
    }
    // who understands ignores no-store, which is for those that do not: RFC 9111, section 5.2.2.3
    if control.no_store && !control.must_understand {
        return Err(NoStore::NoStore);
    }
    if control.private {
        return Err(NoStore::Private);
    }
    let may_be_shared = control.public || control.must_revalidate || control.s_maxage.is_some();
    if asking.is_authorized && !may_be_shared {
        return Err(NoStore::Authorization);
    }
    let is_without_cookies = || control.without.iter().any(|name| &**name == b"set-cookie");
    if fields_have(fields, b"set-cookie") && !policy.set_cookie && !is_without_cookies() {
        return Err(NoStore::SetCookie);
    }
    if Nominated::of(fields).is_none() {
        return Err(NoStore::VaryAll);
    }
    let mut freshness = Freshness::with(status, fields, &control, requested, received, policy);
    // What one client alone says may have brought it about: it is over for all before long, whatever it says of itself.
    if status >= 300 && !asking.is_usual {
        freshness.shorten(policy.error_max);
    }
    if !validated && !is_of_use(status, fields, &control, &freshness) {
        return Err(NoStore::NoLifetime);
    }
    if !freshness.shared_with_cookies && asking.has_cookies {
        return Err(NoStore::Cookies);
    }
    match response.length {
        Length::Exact(length) if length > policy.largest => Err(NoStore::TooLarge),
        _ => Ok(freshness),
    }
}

/// Whether it may be stored by what it says of its lifetime, and would ever be reused.
fn is_of_use(status: u16, fields: &Fields, control: &ResponseControl, freshness: &Freshness) -> bool {
    let is_explicit = control.lifetime().is_some() || (!control.targeted && fields_have(fields, b"expires"));
    if !(is_explicit || control.public || is_heuristically_cacheable(status)) {
        return false;
    }
    // An error is no page that is asked about until it changes: it has a lifetime, said or guessed, which is short.
    if is_passing_error(status) && freshness.lifetime.is_zero() {
        return false;
    }
    let can_be_asked_about = fields_have(fields, b"etag") || fields_have(fields, b"last-modified");
    let stale_use = freshness.stale_while_revalidate.max(freshness.stale_if_error);
    let is_reused_stale = is_explicit && !freshness.must_revalidate && !stale_use.is_zero();
    can_be_asked_about || (!freshness.no_cache && (!freshness.lifetime.is_zero() || is_reused_stale))
}

/// What of a response's fields is stored (RFC 9111, section 3.1): without those of one connection and of proxies, `Age`
/// and `Content-Length`, which are told anew, `Set-Cookie`, and those that the response names as not to be reused.
pub fn kept(fields: &Fields) -> Fields {
    let control = ResponseControl::of(fields);
    let listed = Listed::of(fields);
    let mut kept = Fields::default();
    for field in fields.iter() {
        let is = |name: &[u8]| field.name.eq_ignore_ascii_case(name);
        let is_left_out = listed.is_of_connection(field)
            || field.id == Name::ContentLength
            || is(b"age")
            || is(b"set-cookie")
            || control.without.iter().any(|name| is(name));
        if !is_left_out {
            kept.push(field.name, field.value);
        }
    }
    kept
}

/// What the `Connection` of a message lists, found once for all of its fields.
pub(crate) struct Listed<'a>(Vec<&'a [u8]>);

impl<'a> Listed<'a> {
    pub(crate) fn of(fields: &'a Fields) -> Self {
        let mut names: Vec<_> = lines(fields, b"connection").flat_map(members).collect();
        names.sort_unstable_by(|one, other| compare(one, other));
        Self(names)
    }

    /// Whether a field belongs to one connection, is listed, or is between a proxy and its client.
    pub(crate) fn is_of_connection(&self, field: Field<'_>) -> bool {
        const OF_PROXIES: [&[u8]; 3] = [b"proxy-authenticate", b"proxy-authentication-info", b"proxy-authorization"];
        field.id.is_hop_by_hop()
            || OF_PROXIES.iter().any(|of_proxies| field.name.eq_ignore_ascii_case(of_proxies))
            || self.0.binary_search_by(|name| compare(name, field.name)).is_ok()
    }
}

fn compare(one: &[u8], other: &[u8]) -> std::cmp::Ordering {
    one.iter().map(u8::to_ascii_lowercase).cmp(other.iter().map(u8::to_ascii_lowercase))
}

fn fields_have(fields: &Fields, name: &[u8]) -> bool {
    lines(fields, name).next().is_some()
}

/// Whether it tells of a request what the key does not hold, so that it would be wrong for others however long it says
/// that it is fresh: not final; a part or a condition; credentials; an upgrade, a size, a connection, an expectation.
fn is_for_one_request(status: u16) -> bool {
    matches!(
        status,
        ..200 | 206 | 304 | 401 | 407 | 408 | 411 | 412 | 413 | 415 | 416 | 417 | 421 | 425 | 426 | 428 | 429 | 431
    ) || status > 599
}

/// Whether it is a page, or what the policy takes for one. A server's error is none, whatever the policy says.
fn is_kept_under_a_validator(status: u16, policy: &Policy) -> bool {
    matches!(status, 200 | 203 | 204) || (status < 500 && policy.statuses.contains(&status))
}

/// Whether what the status means for a cache is known: those of RFC 9110, section 15, that [`is_for_one_request`]
/// leaves.
fn is_understood(status: u16) -> bool {
    matches!(status, 200..=205 | 300..=303 | 305 | 307 | 308 | 400 | 402..=406 | 409 | 410 | 414 | 422 | 451 | 500..=505 | 511)
}

impl NoStore {
    /// Its name in `Cache-Status`, logs and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::RequestNoStore => "request-no-store",
            Self::Status => "status",
            Self::OddRequest => "odd-request",
            Self::NoStore => "no-store",
            Self::Private => "private",
            Self::Authorization => "authorization",
            Self::SetCookie => "set-cookie",
            Self::VaryAll => "vary-all",
            Self::NoLifetime => "no-lifetime",
            Self::Cookies => "cookies",
            Self::TooLarge => "too-large",
        }
    }
}

#[cfg(test)]
mod tests;
