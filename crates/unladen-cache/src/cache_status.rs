//! The principal type is [`CacheStatus`]: what the cache did, for `Cache-Status` (RFC 9211).

/// What the cache did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatus<'a> {
    pub hit: bool,
    pub forwarded: Option<Forwarded>,
    pub forwarded_status: Option<u16>,
    /// Seconds of freshness left; less than none: stale.
    pub ttl: Option<i64>,
    pub stored: bool,
    pub collapsed: bool,
    /// A token.
    pub detail: Option<&'a str>,
}

/// Why the application was asked (RFC 9211, section 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarded {
    Bypass,
    Method,
    UriMiss,
    VaryMiss,
    Miss,
    Request,
    Stale,
    Partial,
}

impl CacheStatus<'_> {
    /// Appends a member of the list: `unladen; hit; ttl=12`.
    pub fn write(&self, name: &str, out: &mut Vec<u8>) {
        todo!()
    }
}
