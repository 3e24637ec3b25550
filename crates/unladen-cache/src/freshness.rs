//! The principal type is [`Freshness`]: a response's age and lifetime (RFC 9111, section 4.2).

use std::time::Duration;

use unladen_http1::Fields;

use crate::text::{LONGEST, lines, members, seconds};
use crate::{Policy, ResponseControl, Time};

/// A response's age and lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freshness {
    /// Its age when received: `corrected_initial_age`.
    pub initial_age: Duration,
    pub received: Time,
    pub lifetime: Duration,
    /// The lifetime was guessed from `Last-Modified`.
    pub heuristic: bool,
    /// It is never reused without validation.
    pub no_cache: bool,
    /// Once stale, it is never reused without validation: `must-revalidate`, `proxy-revalidate`, or `s-maxage` (RFC
    /// 9111, section 5.2.2.10), which `stale-while-revalidate` beside it does not change.
    pub must_revalidate: bool,
    /// While fresh, a request's `max-age`, as a reload sends it, does not cause validation (RFC 8246).
    pub immutable: bool,
    /// It may answer requests with cookies that tell users apart: it addresses shared caches (`s-maxage`,
    /// `CDN-Cache-Control`), or has `Vary: Cookie`; or the policy accepts any lifetime or `public`.
    pub shared_with_cookies: bool,
    /// It may answer requests with `Authorization`: it has an explicit lifetime, `public`, or `Vary: Cookie`.
    pub shared_with_authorized: bool,
    /// How long a stale response may be served while it is fetched anew (RFC 5861).
    pub stale_while_revalidate: Duration,
    /// How long a stale response may be served if the application fails (RFC 5861).
    pub stale_if_error: Duration,
}

impl Freshness {
    /// Computes a response's freshness, from the times of request and response.
    pub fn of(status: u16, fields: &Fields, requested: Time, received: Time, policy: &Policy) -> Self {
        Self::with(status, fields, &ResponseControl::of(fields), requested, received, policy)
    }

    pub(crate) fn with(
        status: u16,
        fields: &Fields,
        control: &ResponseControl,
        requested: Time,
        received: Time,
        policy: &Policy,
    ) -> Self {
        let date = date(fields, b"date").flatten();
        let explicit = control.lifetime().or_else(|| expires(fields, control, date.unwrap_or(received)));
        let guessed = || heuristic(status, fields, control, date.unwrap_or(received), policy);
        let (lifetime, is_guessed) = match explicit {
            Some(lifetime) => (lifetime, false),
            None => guessed().map_or((Duration::ZERO, false), |lifetime| (lifetime, true)),
        };
        let apparent_age = date.map_or(Duration::ZERO, |date| received.since(date));
        let corrected_age = match age(fields) {
            Age::None => received.since(requested),
            Age::Of(age) => age.saturating_add(received.since(requested)),
            Age::Invalid => LONGEST,
        };
        let has_lifetime = explicit.is_some_and(|lifetime| !lifetime.is_zero());
        let varies = || lines(fields, b"vary").flat_map(members).any(|name| name.eq_ignore_ascii_case(b"cookie"));
        let is_for_any_cache = control.public || has_lifetime;
        // Lifetimes for browsers and caches alike are mostly set without a thought of users who are logged in.
        let is_for_shared_ones =
            (control.targeted && is_for_any_cache) || control.s_maxage.is_some_and(|lifetime| !lifetime.is_zero());
        // Such errors come and go, and must not stay longer because somebody has provoked one.
        let is_passing = is_passing_error(status);
        // Nor must a response that is no page and has no explicit lifetime.
        let is_short = is_passing || (is_guessed && status >= 300);
        let longest = if is_short { policy.error_max.min(LONGEST) } else { LONGEST };
        let stale_use = |said: Option<Duration>, usual: Duration| {
            if is_passing { Duration::ZERO } else { said.unwrap_or(usual).min(LONGEST) }
        };
        Self {
            initial_age: apparent_age.max(corrected_age).min(LONGEST),
            received,
            lifetime: lifetime.min(longest),
            heuristic: is_guessed,
            no_cache: control.no_cache,
            must_revalidate: control.must_revalidate || control.proxy_revalidate || control.s_maxage.is_some(),
            immutable: control.immutable,
            shared_with_cookies: is_for_shared_ones || (policy.share_with_cookies && is_for_any_cache) || varies(),
            shared_with_authorized: is_for_any_cache || varies(),
            stale_while_revalidate: stale_use(control.stale_while_revalidate, policy.stale_while_revalidate),
            stale_if_error: stale_use(control.stale_if_error, policy.stale_if_error),
        }
    }

    /// Bounds the lifetime, and forbids use once stale.
    pub(crate) fn shorten(&mut self, longest: Duration) {
        self.lifetime = self.lifetime.min(longest);
        self.stale_while_revalidate = Duration::ZERO;
        self.stale_if_error = Duration::ZERO;
    }

    /// `current_age` (RFC 9111, section 4.2.3). A clock that is set back never makes it less than the initial age.
    pub fn age(&self, now: Time) -> Duration {
        self.initial_age.saturating_add(now.since(self.received))
    }

    /// Whether it is younger than its lifetime.
    pub fn is_fresh(&self, now: Time) -> bool {
        self.age(now) < self.lifetime
    }

    /// How long it has been stale: zero if it is fresh, and at the moment it becomes stale.
    pub fn staleness(&self, now: Time) -> Duration {
        self.age(now).saturating_sub(self.lifetime)
    }
}

/// The value of `Age`, which is one number (RFC 9111, section 5.1). A response with anything else has been through a
/// cache in an unknown way, and is older than anything.
enum Age {
    None,
    Of(Duration),
    Invalid,
}

fn age(fields: &Fields) -> Age {
    let mut lines = lines(fields, b"age");
    match (lines.next(), lines.next()) {
        (None, _) => Age::None,
        (Some(line), None) => seconds(line).map_or(Age::Invalid, Age::Of),
        (Some(_), Some(_)) => Age::Invalid,
    }
}

/// A field's first line as a date: `None` without the field, `Some(None)` if it is no date.
fn date(fields: &Fields, name: &[u8]) -> Option<Option<Time>> {
    fields.find(name).map(Time::parse)
}

/// The lifetime by `Expires`, which counts only if `Cache-Control` has none, and never beside `CDN-Cache-Control` (RFC
/// 9213, section 2.2). An invalid date is in the past (RFC 9111, section 5.3).
fn expires(fields: &Fields, control: &ResponseControl, date_or_received: Time) -> Option<Duration> {
    if control.targeted {
        return None;
    }
    let expires = date(fields, b"expires")?;
    Some(expires.map_or(Duration::ZERO, |expires| expires.since(date_or_received)))
}

/// A lifetime where none is given: a share of the time since the last change (RFC 9111, section 4.2.2).
fn heuristic(status: u16, fields: &Fields, control: &ResponseControl, date: Time, policy: &Policy) -> Option<Duration> {
    if !(control.public || is_heuristically_cacheable(status)) {
        return None;
    }
    let modified = self::date(fields, b"last-modified")??;
    let share = date.since(modified).min(LONGEST).as_secs_f64() * policy.heuristic_share;
    // A share that is no number, negative or unbounded gives zero.
    let lifetime = Duration::try_from_secs_f64(share).unwrap_or(Duration::ZERO);
    Some(lifetime.min(policy.heuristic_max))
}

/// Whether a status is an error brought about by a request or a bad moment, rather than a missing resource (404, 410).
pub fn is_passing_error(status: u16) -> bool {
    status >= 400 && !matches!(status, 404 | 410)
}

/// RFC 9110, section 15.1: without 206, which is not stored.
pub(crate) fn is_heuristically_cacheable(status: u16) -> bool {
    matches!(status, 200 | 203 | 204 | 300 | 301 | 308 | 404 | 405 | 410 | 414 | 501)
}

#[cfg(test)]
mod tests;
