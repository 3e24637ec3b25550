//! The principal type is [`MatchedListener`]: where a request for a URL comes in.

use std::net::IpAddr;

use unladen_serve_config::{ListenAddress, ProxySettings, Settings, SiteSettings, address_text};
use url::{Host, Url};

use super::error::OutlookError;

/// Where a request for a URL comes in.
#[derive(Clone, Copy, Debug)]
pub(super) enum MatchedListener<'s> {
    Site {
        site: &'s SiteSettings,
        listener: &'s ListenAddress,
    },
    /// Clients are sent on to https.
    Redirect {
        site: &'s SiteSettings,
        listener: &'s ListenAddress,
    },
    Outbound {
        outbound: &'s ProxySettings,
        listener: &'s ListenAddress,
    },
}

// === impl MatchedListener ===

impl<'s> MatchedListener<'s> {
    /// The one that listens at the URL's address; or the only site, to which somebody else may pass it on.
    pub(super) fn find(settings: &'s Settings, url: &Url) -> Result<Self, OutlookError> {
        let all: Vec<Self> = Self::all(settings).collect();
        if let Some(place) = all.iter().find(|place| is_at(place.listener(), url)) {
            return Ok(*place);
        }
        let mut sites = all.iter().filter(|place| matches!(place, Self::Site { .. }));
        if let ([_], Some(site)) = (settings.site.as_slice(), sites.next()) {
            return Ok(*site);
        }
        let listeners: Vec<String> =
            all.iter().map(|place| format!("{} (`{}`)", address_text(place.listener()), place.name())).collect();
        let port = url.port_or_known_default().unwrap_or(80);
        Err(OutlookError::NoListener { port, listeners: listeners.join(", ") })
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

    /// What is to be known of it besides.
    pub(super) fn notes(&self, url: &Url) -> Vec<String> {
        if is_at(self.listener(), url) {
            return Vec::new();
        }
        let port = url.port_or_known_default().unwrap_or(80);
        vec![format!("nothing listens at port {port} itself: this is what becomes of it if somebody passes it on")]
    }
}

fn is_at(listener: &ListenAddress, url: &Url) -> bool {
    let ListenAddress::Tcp(address) = listener else { return false };
    let is_host = match url.host() {
        Some(Host::Ipv4(ip)) => address.ip().is_unspecified() || address.ip() == IpAddr::V4(ip),
        Some(Host::Ipv6(ip)) => address.ip().is_unspecified() || address.ip() == IpAddr::V6(ip),
        // What a name leads to is not asked.
        _ => true,
    };
    is_host && Some(address.port()) == url.port_or_known_default()
}
