//! The principal type is [`Policy`]: what is left to whoever runs a cache.

use std::time::Duration;

use crate::CookiePattern;

/// What is left to whoever runs a cache.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Without a lifetime said, this share of the time since `Last-Modified` (RFC 9111, section 4.2.2) …
    pub heuristic_share: f64,
    /// … and no longer than this.
    pub heuristic_max: Duration,
    /// Cookies that must not split the cache: as if the client had not sent them.
    pub ignore_cookies: Vec<CookiePattern>,
    /// If there are any: the only cookies by which `Vary: Cookie` tells apart.
    pub vary_cookies: Vec<CookiePattern>,
    /// The application's languages, by which `Vary: Accept-Language` tells apart; none: by the header as it is. Of
    /// those that a client likes equally, the first of these is meant.
    pub languages: Vec<String>,
    /// Parameters of the query that are no part of the key.
    pub ignore_query: Vec<CookiePattern>,
    /// Whether a lifetime or `public` in `Cache-Control` or `Expires` is leave to share with those who have cookies;
    /// else that takes `s-maxage`, `CDN-Cache-Control` or `Vary: Cookie`.
    pub share_with_cookies: bool,
    /// Statuses besides 200, 203 and 204 that are stored under a validator, until it has another answer.
    pub statuses: Vec<u16>,
    /// The longest lifetime of an error that is none of the resource itself (404, 410), whatever it says; zero: none is
    /// stored. Of any error or redirect, if its request says more than others ([`is_usual`](crate::is_usual)).
    pub error_max: Duration,
    /// Whether responses with `Set-Cookie` may be stored, without it.
    pub set_cookie: bool,
    /// What `stale-if-error` is where the response does not say.
    pub stale_if_error: Duration,
    /// What `stale-while-revalidate` is where the response does not say.
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
