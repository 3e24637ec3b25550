//! The principal type is [`FrontSettings`]: what `serve` does in front of an application.

use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::Serialize;
use unladen_validator::ValidatorSettings;

use crate::settings::{BesideSettings, ListenAddress};

/// What `serve` does in front of an application.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrontSettings {
    /// Where clients call, and how the application is called: it stands beside the application too.
    pub app: BesideSettings,
    /// Certificates; none: plain HTTP.
    pub tls: Option<ServerTlsSettings>,
    /// Addresses of plain HTTP where clients are sent on to https.
    pub redirect: Vec<ListenAddress>,
    /// `Strict-Transport-Security`, as it is sent; none: not at all.
    pub hsts: Option<String>,
    /// Who may say for whom it asks.
    pub trusted: TrustedSettings,
    /// Requests under way of one client (its address; of IPv6 its /64).
    pub per_client: usize,
    /// What the client is told to wait if the application has too much to do.
    pub retry_after: Duration,
    /// What is kept; none: nothing.
    pub cache: Option<CacheSettings>,
    /// Cheap questions; the first whose path matches is asked.
    pub validators: Vec<ValidatorSettings>,
}

/// Certificates, and which TLS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerTlsSettings {
    /// Chains and their keys; the first is for clients that name no host, or one that no certificate is for.
    pub certificates: Vec<(PathBuf, PathBuf)>,
    /// Whether TLS 1.2 is spoken too.
    pub tls12: bool,
    /// Whether HTTP/2 is offered.
    pub http2: bool,
}

/// Who may say for whom it asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TrustedSettings {
    /// Proxies.
    pub proxies: Vec<IpNet>,
    /// Whether those that come by a Unix socket are such.
    pub unix: bool,
    /// What they say it with.
    pub header: ForwardedBy,
    /// Whether their connections begin with PROXY (v1 or v2).
    pub proxy_protocol: bool,
}

/// What a proxy says it with, for whom it asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForwardedBy {
    /// `X-Forwarded-For`, and `-Proto`.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// What is kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheSettings {
    /// Bytes, all together.
    pub memory: u64,
    /// The longest body that is stored.
    pub largest: u64,
    /// Variants of one address.
    pub variants: usize,
    /// Cookies that must not split the cache: names, or with `*` at the end how they begin.
    pub ignore_cookies: Vec<String>,
    /// If there are any: the only cookies by which `Vary: Cookie` tells apart.
    pub vary_cookies: Vec<String>,
    /// Whether what has `Set-Cookie` is stored, with it.
    pub store_set_cookie: bool,
    /// The application's languages.
    pub languages: Vec<String>,
    /// Parameters of the query that are no part of the key.
    pub ignore_query: Vec<String>,
    /// Without a lifetime said: this share of the time since `Last-Modified` …
    pub heuristic: f64,
    /// … and no longer.
    pub heuristic_max: Duration,
    /// Where the response does not say.
    pub stale_if_error: Duration,
    /// Where the response does not say.
    pub stale_while_revalidate: Duration,
    /// For so long after a response that was not stored, nobody waits for another's.
    pub uncacheable: Duration,
    /// Whether bodies that the application left plain are compressed.
    pub compress: bool,
    /// `X-GeoIP-Country`.
    pub country: Option<PathBuf>,
    /// From where PURGE is taken.
    pub purge: Vec<IpNet>,
    /// Whether it is from those that come by a Unix socket.
    pub purge_unix: bool,
}
