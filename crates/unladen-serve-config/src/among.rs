//! Checks the listeners of a configuration against each other.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use unladen_pool::{EndpointAddress, Origin};
use unladen_toml::Problem;

use super::error::ConfigProblem;
use super::hosts::HostName;
use super::level::Level;
use super::listen;
use super::listen::ListenAddress;
use super::outbound::Placed;
use super::reading::Reading;
use super::site::PlacedSite;
use super::site_tables::CrowdSettings;
use super::top::AdminSettings;

struct Stand<'a, 't> {
    level: &'a Level<'t>,
    name: &'a str,
    origins: &'a [Origin],
    listen: Vec<&'a (ListenAddress, Range<usize>)>,
    /// What to say of an address that other machines reach.
    exposed: Option<&'static str>,
    site: Option<&'a PlacedSite<'t>>,
}

struct Tenant<'a> {
    span: Range<usize>,
    /// `None` for an outbound or the admin address, which share no address.
    site: Option<&'a PlacedSite<'a>>,
    redirects: bool,
}

const EXPOSED_OUTBOUND: &str = "anyone who can reach it can call the upstream with this machine's rights, and its \
                                traffic is not encrypted; listen on 127.0.0.1 or a Unix socket, unless a firewall \
                                keeps others out";
const EXPOSED_SITE: &str = "others on the network path can read and change its traffic; set `tls`, or `trusted.proxies` if \
                            another server terminates TLS for it";

/// Reports names and addresses that are given twice, and requests that would loop.
pub(super) fn check(
    sites: &[PlacedSite<'_>],
    outbounds: &[Placed<'_>],
    admin: Option<&(AdminSettings, Vec<Range<usize>>)>,
    r: &mut Reading<'_>,
) {
    let mut names: HashMap<&str, Range<usize>> = HashMap::new();
    let mut addresses: HashMap<&ListenAddress, Vec<Tenant<'_>>> = HashMap::new();
    if let Some((admin, spans)) = admin {
        for (address, span) in std::iter::once(&admin.listen).chain(&admin.probes).zip(spans) {
            let tenant = Tenant { span: span.clone(), site: None, redirects: false };
            if let Some(problem) = keeps_out(&addresses, &tenant, address, r) {
                r.refuse(span.clone(), Problem::other(problem));
                continue;
            }
            addresses.entry(address).or_default().push(tenant);
        }
    }
    let mut snapshots: HashMap<&Path, Range<usize>> = HashMap::new();
    for Stand { level, name, origins, listen, exposed, site } in stands(sites, outbounds) {
        if let Some(snapshot) = site.and_then(|site| site.settings.snapshot.as_ref()) {
            let span = level.at(&["snapshot"]);
            if let Some(first) = snapshots.insert(&snapshot.file, span.clone()) {
                let (name, instead) = (snapshot.file.display().to_string(), "each site needs a file of its own");
                let (what, line) = ("the snapshot", r.line(&first));
                r.refuse(span, Problem::other(ConfigProblem::Twice { what, name, line, instead }));
            }
        }
        let span = level.at(&["name"]);
        if let Some(first) = names.get(name) {
            let (what, instead) = ("the name", "logs and metrics could not distinguish the two; choose another name");
            r.refuse(
                span,
                Problem::other(ConfigProblem::Twice { what, name: name.into(), line: r.line(first), instead }),
            );
        } else {
            names.insert(name, span);
        }
        let mut exposed_at: Option<&Range<usize>> = None;
        for (at, (address, span)) in listen.iter().enumerate() {
            let redirects = site.is_some_and(|site| at >= site.listen.len());
            let tenant = Tenant { span: span.clone(), site, redirects };
            if let Some(problem) = keeps_out(&addresses, &tenant, address, r) {
                r.refuse(span.clone(), Problem::other(problem));
                continue;
            }
            let tenants = addresses.entry(address).or_default();
            tenant.warn_of_others(tenants.first(), r);
            tenants.push(tenant);
            if let (ListenAddress::Tcp(tcp), Some(exposed)) = (address, exposed)
                && !tcp.ip().is_loopback()
                // `:80` stands for two addresses.
                && exposed_at.replace(span) != Some(span)
            {
                r.warn(span.clone(), format!("`{tcp}` is not a loopback address: {exposed}"));
            }
        }
        goes_round(origins, &listen, level, r);
    }
}

/// Why a listener cannot have its address, beside those that are there.
fn keeps_out(
    addresses: &HashMap<&ListenAddress, Vec<Tenant<'_>>>,
    tenant: &Tenant<'_>,
    address: &ListenAddress,
    r: &Reading<'_>,
) -> Option<ConfigProblem> {
    let there = addresses.get(address).into_iter().flatten();
    there.clone().find_map(|first| tenant.is_kept_out_by(first, address, r)).or_else(|| {
        let others = addresses.iter().filter(|(other, _)| are_one(other, address));
        let (other, first) = others.filter_map(|(other, tenants)| Some((other, tenants.first()?))).next()?;
        let (what, name, line) = ("the address", listen::text(other), r.line(&first.span));
        let instead = "one of the two is of all addresses of this machine: keep one, or choose another port";
        Some(ConfigProblem::Twice { what, name, line, instead })
    })
}

/// Whether the system gives one port for both: `0.0.0.0` has those of all other addresses. `[::]` has no IPv4 here.
fn are_one(one: &ListenAddress, other: &ListenAddress) -> bool {
    let (ListenAddress::Tcp(one), ListenAddress::Tcp(other)) = (one, other) else { return false };
    let is_any = one.ip().is_unspecified() || other.ip().is_unspecified();
    one != other && one.port() == other.port() && one.port() != 0 && one.is_ipv4() == other.is_ipv4() && is_any
}

fn stands<'a, 't>(sites: &'a [PlacedSite<'t>], outbounds: &'a [Placed<'t>]) -> Vec<Stand<'a, 't>> {
    let site = |site: &'a PlacedSite<'t>| Stand {
        level: &site.level,
        name: &site.settings.proxy.upstream.name,
        origins: &site.settings.proxy.upstream.origins,
        listen: site.listen.iter().chain(&site.redirect).collect(),
        exposed: (!site.settings.is_tls() && site.settings.trusted.proxies.is_empty()).then_some(EXPOSED_SITE),
        site: Some(site),
    };
    let outbound = |outbound: &'a Placed<'t>| Stand {
        level: &outbound.level,
        name: &outbound.settings.upstream.name,
        origins: &outbound.settings.upstream.origins,
        listen: outbound.listen.iter().collect(),
        exposed: Some(EXPOSED_OUTBOUND),
        site: None,
    };
    sites.iter().map(site).chain(outbounds.iter().map(outbound)).collect()
}

impl Tenant<'_> {
    /// Why both cannot share an address; `None` if they can.
    fn is_kept_out_by(&self, first: &Self, address: &ListenAddress, r: &Reading<'_>) -> Option<ConfigProblem> {
        let line = r.line(&first.span);
        let alone = |instead| {
            let (what, name) = ("the address", listen::text(address));
            Some(ConfigProblem::Twice { what, name, line, instead })
        };
        let (Some(one), Some(other)) = (first.site, self.site) else {
            return alone("only one listener can use an address; choose another address");
        };
        if std::ptr::eq(one, other) {
            return alone("only one listener can use an address; choose another address");
        }
        let has_all = |site: &PlacedSite<'_>| site.hosts.is_empty();
        if has_all(one) && has_all(other) {
            return alone("sites share an address by their names: set `hosts` in one of them at least");
        }
        let takes_rest = |site: &PlacedSite<'_>| site.hosts.is_empty() || site.settings.is_default;
        if takes_rest(one) && takes_rest(other) {
            return alone(
                "only one site of an address can be its default; remove `default`, or set `hosts` in the other",
            );
        }
        let is_tls = |tenant: &Self, site: &PlacedSite<'_>| !tenant.redirects && site.settings.is_tls();
        if is_tls(first, one) != is_tls(self, other) {
            return alone("an address serves either TLS or plain HTTP; choose another address");
        }
        let twice = |(name, _): &&(HostName, Range<usize>)| one.hosts.iter().any(|(known, _)| known == name);
        let (host, _) = other.hosts.iter().find(twice)?;
        let instead = "requests for it could be for either site; remove it from one of the two";
        Some(ConfigProblem::Twice { what: "the host name", name: host.to_string(), line, instead })
    }

    /// Settings that apply before a request names its host are the same for all sites: the most generous bounds, and
    /// the first site's values for the rest.
    fn warn_of_others(&self, first: Option<&Self>, r: &mut Reading<'_>) {
        let (Some(other), Some(first)) = (self.site, first.and_then(|first| first.site)) else { return };
        let (one, own) = (&first.settings, &other.settings);
        let differs: Vec<&str> = [
            ("clients", of_connections(&one.clients) != of_connections(&own.clients)),
            ("http2", one.proxy.http2 != own.proxy.http2),
            ("socket_mode", one.proxy.socket_mode != own.proxy.socket_mode),
            ("trusted.proxy_protocol", one.trusted.proxy_protocol != own.trusted.proxy_protocol),
            (
                "tls12",
                one.tls.as_ref().map(|tls| tls.tls12) != own.tls.as_ref().map(|tls| tls.tls12)
                    && one.tls.is_some()
                    && own.tls.is_some(),
            ),
        ]
        .into_iter()
        .filter_map(|(key, differs)| differs.then_some(key))
        .collect();
        if !differs.is_empty() {
            let keys = differs.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" and ");
            let name = &one.proxy.upstream.name;
            r.warn(
                other.level.at(&["clients", "http2", "socket_mode", "trusted", "tls12"]),
                format!(
                    "{keys} of the site `{name}` also applies to this site where they share an address: it takes \
                    effect before the request's host is known; use the same value in both"
                ),
            );
        }
        let (one, own) = (&one.proxy.client, &own.proxy.client);
        let differs: Vec<&str> = [
            ("connections", one.connections != own.connections),
            ("head_timeout", one.head_timeout != own.head_timeout),
            ("idle", one.idle != own.idle),
            ("streams", one.streams != own.streams),
        ]
        .into_iter()
        .filter_map(|(key, differs)| differs.then_some(key))
        .collect();
        if !differs.is_empty() {
            let keys = differs.iter().map(|key| format!("`client.{key}`")).collect::<Vec<_>>().join(" and ");
            let name = &first.settings.proxy.upstream.name;
            r.warn(
                other.level.at(&["client"]),
                format!(
                    "{keys}: where this site shares an address with `{name}`, the larger value applies to both, \
                    because it takes effect before the request's host is known; use the same value in both"
                ),
            );
        }
    }
}

/// Bounds that apply before a client has sent a request.
fn of_connections(clients: &CrowdSettings) -> (usize, usize, u8, u8) {
    (clients.connections, clients.network_connections, clients.ipv4, clients.ipv6)
}

fn goes_round(origins: &[Origin], listen: &[&(ListenAddress, Range<usize>)], level: &Level<'_>, r: &mut Reading<'_>) {
    let is_own = |place: &EndpointAddress| {
        listen.iter().any(|(address, _)| match (place, address) {
            (EndpointAddress::Unix(path), ListenAddress::Unix(own)) => path == own,
            (EndpointAddress::Tcp(host, port), ListenAddress::Tcp(own)) => {
                let is_host = match host.parse::<std::net::IpAddr>() {
                    Ok(ip) => ip == own.ip() || (own.ip().is_unspecified() && ip.is_loopback()),
                    Err(_) => host == "localhost" && (own.ip().is_loopback() || own.ip().is_unspecified()),
                };
                is_host && *port == own.port()
            }
            _ => false,
        })
    };
    // Where an upstream is discovered, its URL only names it.
    if origins.iter().any(|origin| origin.discovery.is_none() && is_own(&origin.at)) {
        let key = "upstream";
        let (value, expected) =
            ("an address where this table itself listens".into(), "another address: requests would loop".into());
        r.refuse(level.at(&[key]), Problem::Value { key: key.into(), value, expected });
    }
}
