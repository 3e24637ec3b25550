//! The principal type is [`Policy`]: the operator's choices for a cache.

use std::time::Duration;

/// The operator's choices for a cache.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Without an explicit lifetime, this share of the time since `Last-Modified` (RFC 9111, section 4.2.2) …
    pub heuristic_share: f64,
    /// … and no longer than this.
    pub heuristic_max: Duration,
    /// Cookies that must not split the cache: treated as not sent.
    pub ignore_cookies: Vec<CookiePattern>,
    /// If not empty: the only cookies that `Vary: Cookie` distinguishes.
    pub vary_cookies: Vec<CookiePattern>,
    /// The application's languages, which `Vary: Accept-Language` distinguishes; if empty, the header counts as it is.
    /// Of a client's equal preferences, the first of these counts.
    pub languages: Vec<String>,
    pub ignore_query: Vec<CookiePattern>,
    /// Whether a lifetime or `public` in `Cache-Control` or `Expires` permits sharing with clients that have cookies;
    /// else that takes `s-maxage`, `CDN-Cache-Control` or `Vary: Cookie`.
    pub share_with_cookies: bool,
    /// Statuses besides 200, 203 and 204 that are stored under a validator, until its answer changes.
    pub statuses: Vec<u16>,
    /// Longest lifetime of an error other than 404 and 410, whatever it says; zero: none is stored. Applies to any
    /// error or redirect if its request has unusual fields ([`is_usual`](crate::is_usual)).
    pub error_max: Duration,
    /// Whether responses with `Set-Cookie` may be stored, without the field.
    pub set_cookie: bool,
    /// `stale-if-error` where the response does not say.
    pub stale_if_error: Duration,
    /// `stale-while-revalidate` where the response does not say.
    pub stale_while_revalidate: Duration,
    /// The longest body that is stored, in bytes.
    pub largest: u64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            heuristic_share: 0.1,
            heuristic_max: Duration::from_secs(24 * 3600),
            ignore_cookies: Vec::new(),
            vary_cookies: Vec::new(),
            languages: Vec::new(),
            ignore_query: Vec::new(),
            share_with_cookies: false,
            statuses: Vec::new(),
            error_max: Duration::from_secs(10),
            set_cookie: false,
            stale_if_error: Duration::ZERO,
            stale_while_revalidate: Duration::ZERO,
            largest: 16 * 1024 * 1024,
        }
    }
}

/// A cookie's name, or with `*` at its end a prefix of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CookiePattern(pub String);

impl CookiePattern {
    /// Whether the pattern matches a name, case-sensitively.
    pub fn matches(&self, name: &[u8]) -> bool {
        match self.0.as_bytes() {
            [start @ .., b'*'] => name.starts_with(start),
            whole => name == whole,
        }
    }
}
