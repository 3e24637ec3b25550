//! The principal type is [`Freshness`]: how old a response is, and how old it may become (RFC 9111, section 4.2).

use std::time::Duration;

use unladen_http1::Fields;

use crate::text::{LONGEST, lines, members, seconds};
use crate::{Policy, ResponseControl, Time};

/// How old a response is, and how old it may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freshness {
    /// Its age when it was received: `corrected_initial_age`.
    pub initial_age: Duration,
    pub received: Time,
    /// The age at which it becomes stale.
    pub lifetime: Duration,
    /// It was guessed from `Last-Modified`.
    pub heuristic: bool,
    /// It is never reused without asking.
    pub no_cache: bool,
    /// Once stale, it is never reused without asking: `must-revalidate`, `proxy-revalidate`, or `s-maxage` (RFC 9111,
    /// section 5.2.2.10), which `stale-while-revalidate` beside it does not change.
    pub must_revalidate: bool,
    /// Fresh, it is not asked about because of `max-age` of a request, which is what a reload says (RFC 8246).
    pub immutable: bool,
    /// It may answer requests with cookies that tell users apart: it speaks to shared caches (`s-maxage`,
    /// `CDN-Cache-Control`), or depends on `Cookie` by `Vary`; or the policy takes any lifetime or `public` for leave.
    pub shared_with_cookies: bool,
    /// It may answer requests with `Authorization`: it says how long it is fresh, or `public`, or depends on `Cookie`
    /// by `Vary`.
    pub shared_with_authorized: bool,
    /// For so long after it became stale it may answer while it is asked for anew (RFC 5861).
    pub stale_while_revalidate: Duration,
    /// For so long after it became stale it may answer if the application fails (RFC 5861).
    pub stale_if_error: Duration,
}

impl Freshness {
    /// Of a response to a request that was sent at one time and answered at another.
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
        // What is said to browsers and caches alike is mostly said without a thought of those who are logged in.
        let is_for_shared_ones =
            (control.targeted && is_for_any_cache) || control.s_maxage.is_some_and(|lifetime| !lifetime.is_zero());
        // It comes and goes, and must not stay for longer since somebody has made it come.
        let is_passing = is_passing_error(status);
        // Nor must what is no page, and for which nobody has said a lifetime.
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

    /// It is fresh for no longer than this, and never used once it is stale.
    pub(crate) fn shorten(&mut self, longest: Duration) {
        self.lifetime = self.lifetime.min(longest);
        self.stale_while_revalidate = Duration::ZERO;
        self.stale_if_error = Duration::ZERO;
    }

    /// `current_age` (RFC 9111, section 4.2.3). A clock that is set back does not make it younger than it was when it
    /// came.
    pub fn age(&self, now: Time) -> Duration {
        self.initial_age.saturating_add(now.since(self.received))
    }

    /// Whether it is younger than its lifetime.
    pub fn is_fresh(&self, now: Time) -> bool {
        self.age(now) < self.lifetime
    }

    /// For how long it has been stale: zero if it is fresh, and in the moment in which it becomes stale.
    pub fn staleness(&self, now: Time) -> Duration {
        self.age(now).saturating_sub(self.lifetime)
    }
}

/// What `Age` says. It holds one number (RFC 9111, section 5.1). What holds anything else, or more, has been through a
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

/// The first of a field's lines as a date: none, there is none; none in it, it is no date.
fn date(fields: &Fields, name: &[u8]) -> Option<Option<Time>> {
    fields.find(name).map(Time::parse)
}

/// The lifetime by `Expires`, which counts only if `Cache-Control` says none, and not at all beside `CDN-Cache-Control`
/// (RFC 9213, section 2.2). What is no date is in the past (RFC 9111, section 5.3).
fn expires(fields: &Fields, control: &ResponseControl, date_or_received: Time) -> Option<Duration> {
    if control.targeted {
        return None;
    }
    let expires = date(fields, b"expires")?;
    Some(expires.map_or(Duration::ZERO, |expires| expires.since(date_or_received)))
}

/// A lifetime where none is said: a share of the time for which the response has not changed (RFC 9111, section 4.2.2).
fn heuristic(status: u16, fields: &Fields, control: &ResponseControl, date: Time, policy: &Policy) -> Option<Duration> {
    if !(control.public || is_heuristically_cacheable(status)) {
        return None;
    }
    let modified = self::date(fields, b"last-modified")??;
    let share = date.since(modified).min(LONGEST).as_secs_f64() * policy.heuristic_share;
    // a share that is no number, negative or beyond all bounds gives none
    let lifetime = Duration::try_from_secs_f64(share).unwrap_or(Duration::ZERO);
    Some(lifetime.min(policy.heuristic_max))
}

/// An error, and not one that tells of the resource itself that it is not there (404, 410): what somebody's request or
/// a bad moment has brought about.
pub fn is_passing_error(status: u16) -> bool {
    status >= 400 && !matches!(status, 404 | 410)
}

/// RFC 9110, section 15.1: without 206, which is not stored.
pub(crate) fn is_heuristically_cacheable(status: u16) -> bool {
    matches!(status, 200 | 203 | 204 | 300 | 301 | 308 | 404 | 405 | 410 | 414 | 501)
}

#[cfg(test)]
mod tests;
