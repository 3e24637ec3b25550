//! [`reuse`]: whether a stored response may be served without validation (RFC 9111, section 4; RFC 5861);
//! [`make_conditional`] asks for validation, and [`update`] takes its result.

use std::time::Duration;

use unladen_http1::{Field, Fields, Name};

use crate::storable::Listed;
use crate::{Freshness, MaxStale, RequestControl, Time, Validators};

/// What to do with a stored response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    Fresh,
    /// Serve it although it is stale: the request allows it (`max-stale`).
    MaxStale,
    /// Serve it although it is stale, and fetch it anew (`stale-while-revalidate`).
    WhileRevalidate,
    /// Ask the application whether it is still good.
    Validate(WhyValidate),
}

/// Why a stored response is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyValidate {
    Stale,
    /// The response says `no-cache`.
    NoCache,
    /// The request says `no-cache`, `max-age` or `min-fresh`.
    Request,
}

/// What to do with a stored response that a request selects.
///
/// A request's `max-age` does not cause validation of a fresh `immutable` response: on a reload, browsers send
/// `max-age=0` for all that a page needs, which is what `immutable` is against (RFC 8246, section 2). `no-cache` does.
pub fn reuse(control: &RequestControl, freshness: &Freshness, now: Time) -> Reuse {
    if freshness.no_cache {
        return Reuse::Validate(WhyValidate::NoCache);
    }
    if control.no_cache {
        return Reuse::Validate(WhyValidate::Request);
    }
    let age = freshness.age(now);
    let is_fresh = freshness.is_fresh(now);
    let is_settled = is_fresh && freshness.immutable;
    // The age of a new response is zero, and `max-age=0` still asks for another.
    let is_too_old = control.max_age.is_some_and(|max_age| age > max_age || max_age.is_zero());
    let is_not_fresh_enough =
        control.min_fresh.is_some_and(|min_fresh| freshness.lifetime.saturating_sub(age) < min_fresh);
    if (is_too_old && !is_settled) || is_not_fresh_enough {
        return Reuse::Validate(WhyValidate::Request);
    }
    if is_fresh {
        return Reuse::Fresh;
    }
    let staleness = freshness.staleness(now);
    if freshness.must_revalidate {
        return Reuse::Validate(WhyValidate::Stale);
    }
    if takes_stale(control, staleness) {
        return Reuse::MaxStale;
    }
    // `max-age` or `min-fresh` without `max-stale` excludes stale responses: RFC 9111, section 5.2.1.1.
    let takes_fresh_alone = control.max_age.is_some() || control.min_fresh.is_some();
    if !takes_fresh_alone && is_within(staleness, freshness.stale_while_revalidate) {
        return Reuse::WhileRevalidate;
    }
    Reuse::Validate(WhyValidate::Stale)
}

/// Whether it may be served although the application could not be asked, or failed (`stale-if-error` of the response,
/// the request or the policy; RFC 5861, section 4).
pub fn may_serve_on_error(control: &RequestControl, freshness: &Freshness, now: Time) -> bool {
    if freshness.no_cache || control.no_cache {
        return false;
    }
    if freshness.is_fresh(now) {
        return true;
    }
    if freshness.must_revalidate {
        return false;
    }
    let staleness = freshness.staleness(now);
    takes_stale(control, staleness)
        || is_within(staleness, freshness.stale_if_error)
        || is_within(staleness, freshness.stale_while_revalidate)
        || control.stale_if_error.is_some_and(|allowed| is_within(staleness, allowed))
}

fn takes_stale(control: &RequestControl, staleness: Duration) -> bool {
    match control.max_stale {
        None => false,
        Some(MaxStale::Any) => true,
        Some(MaxStale::For(allowed)) => is_within(staleness, allowed),
    }
}

/// Zero allows nothing, even at the moment in which a response becomes stale.
fn is_within(staleness: Duration, allowed: Duration) -> bool {
    !allowed.is_zero() && staleness <= allowed
}

/// Conditional fields of requests, and ranges.
const CONDITIONS: [&[u8]; 6] =
    [b"if-match", b"if-none-match", b"if-modified-since", b"if-unmodified-since", b"if-range", b"range"];

/// Makes a request ask about a stored response (RFC 9111, section 4.3): the client's own conditions and ranges are
/// removed. Without validators it asks for a whole new response.
pub fn make_conditional(fields: &mut Fields, validators: &Validators) {
    fields.retain(|field| !CONDITIONS.iter().any(|condition| field.name.eq_ignore_ascii_case(condition)));
    if let Some(etag) = &validators.etag {
        fields.push(b"If-None-Match", etag);
    }
    if let Some(modified) = validators.modified {
        fields.push(b"If-Modified-Since", modified.http_date().as_bytes());
    }
}

/// A stored response's fields after a 304 with these (RFC 9111, section 3.2). Compute freshness before they are
/// [`kept`](crate::kept): an `Age` is the 304's; and `Date` is missing if the 304 had none, since the stored one would
/// make it as old as before.
pub fn update(stored: &Fields, by: &Fields) -> Fields {
    let listed = Listed::of(by);
    let mut updated = Fields::default();
    let mut new: Vec<&[u8]> = Vec::with_capacity(by.len());
    new.extend(by.iter().filter(|field| is_updated(&listed, *field)).map(|field| field.name));
    for field in stored.iter() {
        let is_replaced = field.id == Name::Date
            || field.name.eq_ignore_ascii_case(b"age")
            || new.iter().any(|name| field.name.eq_ignore_ascii_case(name));
        if !is_replaced {
            updated.push(field.name, field.value);
        }
    }
    for field in by.iter().filter(|field| is_updated(&listed, *field)) {
        updated.push(field.name, field.value);
    }
    updated
}

/// False for fields of a connection and for those that describe the stored body, which an answer without body does not
/// change. The tag stays, too: a later tag could belong to another body made within the same second.
fn is_updated(listed: &Listed<'_>, field: Field<'_>) -> bool {
    const OF_BODY: [&[u8]; 6] =
        [b"content-length", b"content-encoding", b"content-range", b"content-md5", b"etag", b"set-cookie"];
    !listed.is_of_connection(field) && !OF_BODY.iter().any(|of_body| field.name.eq_ignore_ascii_case(of_body))
}

#[cfg(test)]
mod tests;
