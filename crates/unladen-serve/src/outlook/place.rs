//! The principal type is [`MatchedListener`]: the listener that a URL's request reaches.

use std::io;
use std::net::IpAddr;

use unladen_http1::Fault;
use unladen_serve_config::{HostName, ListenAddress, ProxySettings, Settings, SiteSettings, address_text};
use url::{Host, Url};

use crate::site::hosts::Hosts;

#[derive(Clone, Copy, Debug)]
pub(super) enum MatchedListener<'s> {
    Site { site: &'s SiteSettings, listener: &'s ListenAddress },
    Redirect { site: &'s SiteSettings, listener: &'s ListenAddress },
    Outbound { outbound: &'s ProxySettings, listener: &'s ListenAddress },
}

impl<'s> MatchedListener<'s> {
    /// The listener at the URL's address; or the only site, to which another server may pass it on.
    pub(super) fn find(settings: &'s Settings, url: &Url) -> Result<Self, OutlookError> {
        let all: Vec<Self> = Self::all(settings).collect();
        if let Some(place) = all.iter().find(|place| is_at(place.listener(), url)) {
            return Self::named(&all, place, url);
        }
        let mut sites = all.iter().filter(|place| matches!(place, Self::Site { .. }));
        if let ([_], Some(site)) = (settings.site.as_slice(), sites.next()) {
            return Self::named(&all, site, url);
        }
        let listeners: Vec<String> =
            all.iter().map(|place| format!("{} (`{}`)", address_text(place.listener()), place.name())).collect();
        let port = url.port_or_known_default().unwrap_or(80);
        Err(OutlookError::NoListener { port, listeners: listeners.join(", ") })
    }

    fn named(all: &[Self], first: &Self, url: &Url) -> Result<Self, OutlookError> {
        let there = all.iter().filter(|place| place.listener() == first.listener());
        let sites: Vec<(&SiteSettings, Self)> = there.filter_map(|place| Some((place.site()?, *place))).collect();
        if sites.is_empty() {
            return Ok(*first);
        }
        let host = url.host_str().unwrap_or_default();
        let found = Hosts::new(sites.iter().copied()).find(host.as_bytes()).copied();
        found.ok_or_else(|| {
            let names = sites.iter().flat_map(|(site, _)| &site.hosts).map(|host| format!("`{host}`"));
            let (names, listener) = (names.collect::<Vec<_>>().join(", "), address_text(first.listener()));
            OutlookError::Misdirected { host: host.to_owned(), listener, names }
        })
    }

    fn site(&self) -> Option<&'s SiteSettings> {
        match self {
            Self::Site { site, .. } | Self::Redirect { site, .. } => Some(site),
            Self::Outbound { .. } => None,
        }
    }

    pub(super) fn host(&self, url: &Url) -> Option<String> {
        let of_each = self.site()?.hosts.iter().map(|host| (host, host.to_string()));
        let own = url.host_str().unwrap_or_default().to_ascii_lowercase();
        let own = own.strip_suffix('.').unwrap_or(&own);
        let fits = |host: &HostName| match host {
            HostName::Exact(name) => name == own,
            HostName::Below(name) => {
                own.strip_suffix(name.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
        };
        let fitting = of_each.filter(|(host, _)| fits(host)).map(|(_, text)| text);
        // An exact name is longer than the wildcards it matches.
        fitting.max_by_key(String::len)
    }

    fn all(settings: &'s Settings) -> impl Iterator<Item = Self> {
        let sites = settings.site.iter().flat_map(|site| {
            let own = site.proxy.listen.iter().map(move |listener| Self::Site { site, listener });
            own.chain(site.redirect.iter().map(move |listener| Self::Redirect { site, listener }))
        });
        let outbounds = settings
            .outbound
            .iter()
            .flat_map(|outbound| outbound.listen.iter().map(move |listener| Self::Outbound { outbound, listener }));
        sites.chain(outbounds)
    }

    pub(super) fn listener(&self) -> &'s ListenAddress {
        match self {
            Self::Site { listener, .. } | Self::Redirect { listener, .. } | Self::Outbound { listener, .. } => listener,
        }
    }

    fn name(&self) -> &'s str {
        match self {
            Self::Site { site, .. } | Self::Redirect { site, .. } => &site.proxy.upstream.name,
            Self::Outbound { outbound, .. } => &outbound.upstream.name,
        }
    }

    pub(super) fn notes(&self, url: &Url) -> Vec<String> {
        if is_at(self.listener(), url) {
            return Vec::new();
        }
        let port = url.port_or_known_default().unwrap_or(80);
        vec![format!("nothing listens at port {port} itself: this applies if another server passes the request on")]
    }
}

fn is_at(listener: &ListenAddress, url: &Url) -> bool {
    let ListenAddress::Tcp(address) = listener else { return false };
    let is_host = match url.host() {
        Some(Host::Ipv4(ip)) => address.ip().is_unspecified() || address.ip() == IpAddr::V4(ip),
        Some(Host::Ipv6(ip)) => address.ip().is_unspecified() || address.ip() == IpAddr::V6(ip),
        // Names are not resolved.
        _ => true,
    };
    is_host && Some(address.port()) == url.port_or_known_default()
}

/// Why nothing can be said of a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutlookError {
    #[error("`{0}` is not a page's URL: write it as http://host/path")]
    Url(String),
    #[error("nothing listens at port {port}: there is {listeners}; use a URL with one of their ports")]
    NoListener { port: u16, listeners: String },
    #[error("no site at {listener} has the name `{host}`: such a request is answered with 421; there is {names}")]
    Misdirected { host: String, listener: String, names: String },
    #[error(
        "such a request is answered with {} ({}): it is malformed or ambiguous",
        .0.status(),
        .0.into_str()
    )]
    Refused(Fault),
    #[error("{0}")]
    Site(String),
    #[error("cannot ask: {0}")]
    System(#[from] io::Error),
}
