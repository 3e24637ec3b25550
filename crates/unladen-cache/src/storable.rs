//! [`storable`]: whether a shared cache may store a response (RFC 9111, section 3); [`kept`]: which fields it stores.

use unladen_http1::{Field, Fields, Length, Name, Request, Response};

use crate::freshness::{is_heuristically_cacheable, is_passing_error};
use crate::ordinary::{is_ordinary, is_usual};
use crate::text::{lines, members};
use crate::{Freshness, Nominated, Policy, RequestControl, ResponseControl, Time};

/// Why a response is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case", const_into_str)]
pub enum NoStore {
    Method,
    RequestNoStore,
    /// A status with unknown caching rules and `must-understand`; 206, 304, or one that is not final; or one about this
    /// request alone: its credentials, conditions, range or size. Under a validator: all but those that are kept until
    /// its answer changes.
    Status,
    /// An error or a redirect that an odd request may have brought about: a cache would not send such a request
    /// ([`is_ordinary`]).
    OddRequest,
    NoStore,
    Private,
    /// The request has credentials, and the response does not permit sharing.
    Authorization,
    SetCookie,
    /// `Vary: *`, or an invalid one.
    VaryAll,
    /// It has neither a lifetime nor a validator.
    NoLifetime,
    /// The request had cookies, and the response does not permit sharing.
    Cookies,
    TooLarge,
}

/// Properties of a request that decide whether its response may be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    is_safe: bool,
    no_store: bool,
    is_authorized: bool,
    has_cookies: bool,
    is_ordinary: bool,
    /// It has only usual fields ([`is_usual`]), and no cookies that tell users apart.
    is_usual: bool,
    /// A validator vouches for the response, which therefore needs neither a lifetime nor an `ETag` or `Last-Modified`.
    is_validated: bool,
}

impl Asking {
    /// `is_validated`: a validator vouches for the response.
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

    /// Whether a cache would send such a request itself ([`is_ordinary`]).
    pub fn is_ordinary(&self) -> bool {
        self.is_ordinary
    }

    /// Whether it has only usual fields ([`is_usual`]).
    pub fn is_usual(&self) -> bool {
        self.is_usual
    }
}

/// Whether a response may be stored, and how fresh it is.
///
/// Under a validator no lifetime ends a mistake: a stored response is served until the validator's answer changes. So
/// only pages are kept there (200, 203, 204), and statuses that the policy names; never a server's error. An error with
/// an explicit lifetime is kept, but no longer than the policy allows. So is a redirect, a 404 or a 410 to a request
/// with unusual fields.
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
    // The next ordinary request may well get another answer.
    if status >= 300 && (!asking.is_ordinary || (validated && !asking.is_usual)) {
        return Err(NoStore::OddRequest);
    }
    // A cache that understands ignores `no-store`, which is for others: RFC 9111, section 5.2.2.3.
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
    // One client's fields may have brought it about: it must end soon for all, whatever lifetime it has.
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

/// Whether its lifetime permits storing, and it would ever be reused.
fn is_of_use(status: u16, fields: &Fields, control: &ResponseControl, freshness: &Freshness) -> bool {
    let is_explicit = control.lifetime().is_some() || (!control.targeted && fields_have(fields, b"expires"));
    if !(is_explicit || control.public || is_heuristically_cacheable(status)) {
        return false;
    }
    // An error is no page to be validated until it changes: it has a short lifetime, explicit or guessed.
    if is_passing_error(status) && freshness.lifetime.is_zero() {
        return false;
    }
    let can_be_asked_about = fields_have(fields, b"etag") || fields_have(fields, b"last-modified");
    let stale_use = freshness.stale_while_revalidate.max(freshness.stale_if_error);
    let is_reused_stale = is_explicit && !freshness.must_revalidate && !stale_use.is_zero();
    can_be_asked_about || (!freshness.no_cache && (!freshness.lifetime.is_zero() || is_reused_stale))
}

/// The fields of a response that are stored (RFC 9111, section 3.1): without those of one connection and of proxies,
/// `Age` and `Content-Length`, which are written anew, `Set-Cookie`, and those named as not to be reused.
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

/// The fields that a message's `Connection` lists, parsed once.
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

/// Whether a status depends on what the key does not have, so that it would be wrong for others whatever its lifetime:
/// not final; a part or a condition; credentials; an upgrade, a size, a connection, an expectation.
fn is_for_one_request(status: u16) -> bool {
    matches!(
        status,
        ..200 | 206 | 304 | 401 | 407 | 408 | 411 | 412 | 413 | 415 | 416 | 417 | 421 | 425 | 426 | 428 | 429 | 431
    ) || status > 599
}

/// Whether it is a page, or the policy names it. A server's error never is.
fn is_kept_under_a_validator(status: u16, policy: &Policy) -> bool {
    matches!(status, 200 | 203 | 204) || (status < 500 && policy.statuses.contains(&status))
}

/// Whether the status's caching rules are known: those of RFC 9110, section 15, without [`is_for_one_request`].
fn is_understood(status: u16) -> bool {
    matches!(status, 200..=205 | 300..=303 | 305 | 307 | 308 | 400 | 402..=406 | 409 | 410 | 414 | 422 | 451 | 500..=505 | 511)
}

#[cfg(test)]
mod tests;
