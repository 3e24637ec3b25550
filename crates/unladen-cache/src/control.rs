//! `Cache-Control` of requests ([`RequestControl`]) and of responses ([`ResponseControl`]): RFC 9111, section 5.2; RFC 5861;
//! RFC 8246; RFC 9213.

use std::time::Duration;

use unladen_http1::Fields;

/// What a request says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestControl {
    pub no_cache: bool,
    pub no_store: bool,
    pub only_if_cached: bool,
    pub max_age: Option<Duration>,
    pub min_fresh: Option<Duration>,
    pub max_stale: Option<MaxStale>,
    pub stale_if_error: Option<Duration>,
}

/// How stale a response may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxStale {
    Any,
    For(Duration),
}

/// What a response says, to a shared cache that is a gateway: `CDN-Cache-Control` in place of `Cache-Control` where it is valid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseControl {
    pub no_store: bool,
    pub private: bool,
    pub public: bool,
    pub no_cache: bool,
    /// Fields that `no-cache="…"` or `private="…"` name: not to be reused.
    pub without: Vec<Box<[u8]>>,
    pub must_revalidate: bool,
    pub proxy_revalidate: bool,
    pub must_understand: bool,
    pub immutable: bool,
    pub max_age: Option<Duration>,
    pub s_maxage: Option<Duration>,
    pub stale_while_revalidate: Option<Duration>,
    pub stale_if_error: Option<Duration>,
    /// It was `CDN-Cache-Control` that said so.
    pub targeted: bool,
}

impl RequestControl {
    pub fn of(fields: &Fields) -> Self {
        todo!()
    }
}

impl ResponseControl {
    pub fn of(fields: &Fields) -> Self {
        todo!()
    }
}
