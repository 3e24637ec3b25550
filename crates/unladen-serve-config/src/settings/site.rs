//! The principal type is [`SiteSettings`]: what `serve` does in front of an application.

use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::Serialize;
use unladen_validator::ValidatorSettings;

use super::acme::AcmeSettings;
use super::application::{Application, FilesSettings};
use super::host_name::HostName;
use super::proxy::{ListenAddress, ProxySettings};
use super::queue::QueueSettings;
use super::route::RouteSettings;
use super::snapshot::SnapshotSettings;

/// What `serve` does in front of an application.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteSettings {
    /// Where clients call, and how the application is called: it stands beside the application too.
    pub proxy: ProxySettings,
    /// Certificates; none: plain HTTP.
    pub tls: Option<ServerTlsSettings>,
    /// Addresses of plain HTTP where clients are sent on to https.
    pub redirect: Vec<ListenAddress>,
    /// `Strict-Transport-Security`, as it is sent; none: not at all.
    pub hsts: Option<String>,
    /// Who may say for whom it asks.
    pub trusted: TrustedSettings,
    /// Whether fields go on whose names have other bytes than letters, digits and hyphens.
    pub underscores: bool,
    /// Requests under way of one client (its address; of IPv6 its /64).
    pub per_client: usize,
    /// What each client and each network may have at a time.
    pub clients: CrowdSettings,
    /// What the client is told to wait if the application has too much to do.
    pub retry_after: Duration,
    /// Whether bodies that the application left plain are compressed.
    pub compress: bool,
    /// What is kept; none: nothing.
    pub cache: Option<CacheSettings>,
    /// Cheap questions; the first whose path matches is asked.
    pub validators: Vec<ValidatorSettings>,
    /// Which GETs may do something, besides the usual ones: for them validators of many pages are not asked.
    pub effects: Vec<String>,
    /// Which do nothing, though they are among the usual.
    pub no_effects: Vec<String>,
    /// The names that it answers for; none: all that no other site at its addresses answers for.
    pub hosts: Vec<HostName>,
    /// Whether it answers also for names that no site at its addresses answers for.
    pub is_default: bool,
    /// From whom it gets its certificate; none: it has those of `tls`, or none.
    pub acme: Option<AcmeSettings>,
    /// What answers requests that no route has taken.
    pub application: Application,
    /// What some requests get instead: the first that fits counts.
    pub routes: Vec<RouteSettings>,
    /// How files are sent.
    pub files: FilesSettings,
    /// Requests that wait for the application; none: none do, besides those of `limits.pending`.
    pub queue: Option<QueueSettings>,
    /// The page of local replies; none: plain text.
    pub error_page: Option<PathBuf>,
    /// What is written to disk of what the cache keeps; none: nothing.
    pub snapshot: Option<SnapshotSettings>,
    /// The application whose usual settings it has.
    pub preset: Option<&'static str>,
}

impl SiteSettings {
    /// Whether clients speak TLS to it.
    pub fn is_tls(&self) -> bool {
        self.tls.is_some() || self.acme.is_some()
    }

    /// Whether it answers for names too that no site at its addresses has.
    pub fn takes_all_names(&self) -> bool {
        self.hosts.is_empty() || self.is_default
    }
}

/// Certificates, and which TLS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerTlsSettings {
    /// Chains and their keys; the first is for clients that name no host, or one that no certificate is for.
    pub certificates: Vec<(PathBuf, PathBuf)>,
    /// Whether TLS 1.2 is spoken too.
    pub tls12: bool,
}

/// Who may say for whom it asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TrustedSettings {
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

/// What each client (an address; of IPv6 its /64) and each network may have at a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrowdSettings {
    /// Connections of a client.
    pub connections: usize,
    pub network_connections: usize,
    /// Uploads of a client that are under way.
    pub uploads: usize,
    pub network_uploads: usize,
    /// Requests a second of a client; none: as many as it likes.
    pub rate: Option<f64>,
    /// Requests a second of a network.
    pub network_rate: Option<f64>,
    /// Whether requests count that are answered from memory.
    pub hits: bool,
    /// Bits of an address of IPv4 that are its network's.
    pub ipv4: u8,
    /// Bits of an address of IPv6 that are its network's.
    pub ipv6: u8,
}

impl CrowdSettings {
    /// What may come at once, at this rate: ten seconds' worth, and a page with all that is on it.
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
    /// Whether a lifetime or `public` alone is leave to share with those who have cookies.
    pub share_with_cookies: bool,
    /// Statuses besides 200, 203 and 204 that are kept under a validator.
    pub statuses: Vec<u16>,
    /// The longest lifetime of an error other than 404 and 410.
    pub error_max: Duration,
    /// Whether it is passed over that a client wants what is stored asked for anew.
    pub ignore_reload: bool,
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
    /// `X-GeoIP-Country`.
    pub country: Option<PathBuf>,
    /// From where PURGE is taken.
    pub purge: Vec<IpNet>,
    /// Whether it is from those that come by a Unix socket.
    pub purge_unix: bool,
    /// Whether peers are asked before the application is, where there are some.
    // What sites have kept is found by their settings: those of before this was there stay the same.
    #[serde(skip_serializing_if = "std::clone::Clone::clone")]
    pub tier: bool,
}
