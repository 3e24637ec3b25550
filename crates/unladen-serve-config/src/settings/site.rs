//! The principal type is [`SiteSettings`]: what `serve` does in front of an application.

use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::{Serialize, Serializer};
use unladen_validator::ValidatorSettings;

use super::proxy::{ListenAddress, ProxySettings};
use super::route::{Application, FilesSettings, RouteSettings};

/// A site: what `serve` does in front of an application.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteSettings {
    /// Listener and upstream, as beside an application.
    pub proxy: ProxySettings,
    /// Certificates; `None` for plain HTTP.
    pub tls: Option<ServerTlsSettings>,
    /// Addresses of plain HTTP that redirect to https.
    pub redirect: Vec<ListenAddress>,
    /// `Strict-Transport-Security`, as sent.
    pub hsts: Option<String>,
    /// Proxies whose word on the client is believed.
    pub trusted: TrustedSettings,
    /// Whether fields are passed on whose names have other bytes than letters, digits and hyphens.
    pub underscores: bool,
    /// Concurrent requests of one client (its address; for IPv6 its /64).
    pub per_client: usize,
    pub clients: CrowdSettings,
    /// `Retry-After` when the application is overloaded.
    pub retry_after: Duration,
    /// Whether bodies that the application left plain are compressed.
    pub compress: bool,
    /// Cache settings; `None` for no cache.
    pub cache: Option<CacheSettings>,
    /// Validators; the first whose path matches is asked.
    pub validators: Vec<ValidatorSettings>,
    /// Further GETs that may change something: validators of many pages are not asked for them.
    pub effects: Vec<String>,
    /// GETs that change nothing, though the usual list has them.
    pub no_effects: Vec<String>,
    /// Names it answers to; empty for all that no other site at its addresses answers to.
    pub hosts: Vec<HostName>,
    /// Whether it also answers to names that no site at its addresses has.
    pub is_default: bool,
    /// Issuer of its certificate; `None` if it uses `tls`, or has none.
    pub acme: Option<AcmeSettings>,
    pub application: Application,
    /// The first match counts.
    pub routes: Vec<RouteSettings>,
    pub files: FilesSettings,
    /// Requests that wait for the application; `None` if none do, besides those of `limits.pending`.
    pub queue: Option<QueueSettings>,
    /// The page of local replies; `None` for plain text.
    pub error_page: Option<PathBuf>,
    /// What the cache writes to disk; `None` for nothing.
    pub snapshot: Option<SnapshotSettings>,
    pub preset: Option<&'static str>,
}

impl SiteSettings {
    /// Whether clients use TLS.
    pub fn is_tls(&self) -> bool {
        self.tls.is_some() || self.acme.is_some()
    }

    /// Whether it also answers to names that no site at its addresses has.
    pub fn takes_all_names(&self) -> bool {
        self.hosts.is_empty() || self.is_default
    }
}

/// Certificates and TLS versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerTlsSettings {
    /// Chains and their keys; the first is for clients that name no host, or one without certificate.
    pub certificates: Vec<(PathBuf, PathBuf)>,
    pub tls12: bool,
}

/// Proxies whose word on the client is believed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TrustedSettings {
    pub proxies: Vec<IpNet>,
    /// Whether clients on a Unix socket are trusted.
    pub unix: bool,
    pub header: ForwardedBy,
    /// Whether their connections begin with PROXY (v1 or v2).
    pub proxy_protocol: bool,
}

/// The field by which a proxy names its client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForwardedBy {
    #[default]
    XForwardedFor,
    Forwarded,
}

/// Bounds of each client (an address; for IPv6 its /64) and each network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrowdSettings {
    pub connections: usize,
    pub network_connections: usize,
    pub uploads: usize,
    pub network_uploads: usize,
    /// Requests a second of a client; `None` for no bound.
    pub rate: Option<f64>,
    pub network_rate: Option<f64>,
    /// Whether cache hits count.
    pub hits: bool,
    /// Bits of an IPv4 address that make its network.
    pub ipv4: u8,
    /// Bits of an IPv6 address that make its network.
    pub ipv6: u8,
}

impl CrowdSettings {
    /// Burst at this rate: ten seconds' worth, and a page with all its resources.
    pub fn burst_of(rate: f64) -> u32 {
        (rate * 10.0).ceil().max(20.0) as u32
    }
}

impl Default for CrowdSettings {
    fn default() -> Self {
        Self {
            connections: 256,
            network_connections: 2048,
            uploads: 64,
            network_uploads: 512,
            rate: None,
            network_rate: None,
            hits: false,
            ipv4: 24,
            ipv6: 64,
        }
    }
}

/// Cache settings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CacheSettings {
    /// Bytes, all together.
    pub memory: u64,
    pub largest: u64,
    /// Variants of one address.
    pub variants: usize,
    /// Cookies that must not split the cache: names, or prefixes with `*` at the end.
    pub ignore_cookies: Vec<String>,
    /// If not empty: the only cookies that `Vary: Cookie` distinguishes.
    pub vary_cookies: Vec<String>,
    /// Whether a lifetime or `public` alone permits sharing with clients that have cookies.
    pub share_with_cookies: bool,
    /// Statuses besides 200, 203 and 204 that are kept under a validator.
    pub statuses: Vec<u16>,
    /// Longest lifetime of an error other than 404 and 410.
    pub error_max: Duration,
    /// Whether a client's wish to have the stored page fetched anew is ignored.
    pub ignore_reload: bool,
    /// Whether answers with `Set-Cookie` are stored, with the field.
    pub store_set_cookie: bool,
    pub languages: Vec<String>,
    /// Query parameters that are not part of the key.
    pub ignore_query: Vec<String>,
    /// Without an explicit lifetime: this share of the time since `Last-Modified` …
    pub heuristic: f64,
    /// … and no longer.
    pub heuristic_max: Duration,
    /// Where the response does not say.
    pub stale_if_error: Duration,
    /// Where the response does not say.
    pub stale_while_revalidate: Duration,
    /// How long after an unstored response requests do not wait for each other's answer.
    pub uncacheable: Duration,
    /// Database of `X-GeoIP-Country`.
    pub country: Option<PathBuf>,
    /// Addresses that may send PURGE.
    pub purge: Vec<IpNet>,
    /// Whether clients on a Unix socket may.
    pub purge_unix: bool,
    /// Whether peers are asked before the application.
    /// Stored pages are found by their site's settings: those from before this key existed must stay the same.
    #[serde(skip_serializing_if = "std::clone::Clone::clone")]
    pub tier: bool,
}

/// Which authority issues a site's certificate, and how (RFC 8555).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AcmeSettings {
    /// Contact for the authority.
    pub email: Option<String>,
    pub directory: String,
    pub challenge: Challenge,
    /// Authorities trusted for calls to the directory, for a private one.
    pub ca: Option<PathBuf>,
    /// Folder of accounts, orders and certificates.
    pub state: PathBuf,
    /// External account binding (RFC 8555, section 7.3.4).
    pub eab: Option<EabSettings>,
}

/// How control of the names is proved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Challenge {
    /// Whichever listener the authority can reach.
    #[default]
    Auto,
    /// On port 80.
    #[serde(rename = "http-01")]
    Http01,
    /// On port 443 (RFC 8737).
    #[serde(rename = "tls-alpn-01")]
    TlsAlpn01,
}

/// The authority's account that this one is bound to.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct EabSettings {
    pub kid: String,
    /// The key in base64url, as the authority gives it. It is never shown.
    #[serde(serialize_with = "hidden")]
    pub key: String,
}

fn hidden<S: Serializer>(_: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str("…")
}

impl std::fmt::Debug for EabSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EabSettings").field("kid", &self.kid).finish_non_exhaustive()
    }
}

/// A name that a site answers to: ASCII, in small letters, without port and final dot.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostName {
    /// This name or address; IPv6 in brackets, as in a URL.
    Exact(String),
    /// `*.example.org` is kept as `example.org`: all names below it, by one label or several, but not the name itself.
    Below(String),
}

impl std::fmt::Display for HostName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact(name) => f.write_str(name),
            Self::Below(name) => write!(f, "*.{name}"),
        }
    }
}

/// A queue of requests for the application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueueSettings {
    /// Requests at the application at a time; `None` for as many as it says it can take.
    pub running: Option<usize>,
    /// Waiting requests; beyond: 503.
    pub length: usize,
    /// Longest wait of a request; beyond: 503.
    pub wait: Duration,
    /// The cookie that tells apart clients that share an address.
    pub cookie: Option<String>,
}

/// Settings of the cache's copy on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SnapshotSettings {
    pub file: PathBuf,
    /// How often it is written, if anything has changed.
    pub every: Duration,
    pub trust: SnapshotTrust,
}

/// How far a process trusts its predecessor's pages if no validator vouches for them. Purges that came while neither
/// ran are unknown to both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SnapshotTrust {
    /// Fresh pages are served, except those with tags, which somebody means to purge. After a crash, purges since the
    /// last write are unknown, too: then as `Revalidate`.
    Fresh,
    /// The application is asked about each before it is served.
    Revalidate,
}
