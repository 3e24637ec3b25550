//! Holds the listeners of a configuration against each other.

use std::collections::HashMap;
use std::ops::Range;

use unladen_pool::{EndpointAddress, Origin};
use unladen_toml::Problem;

use super::config_problem::ConfigProblem;
use super::level::Level;
use super::listen;
use super::outbound::Placed;
use super::reading::Reading;
use super::site::PlacedSite;
use crate::settings::{AdminSettings, ListenAddress};

/// A site or an outbound.
struct Stand<'a, 't> {
    level: &'a Level<'t>,
    name: &'a str,
    origins: &'a [Origin],
    listen: Vec<&'a (ListenAddress, Range<usize>)>,
    /// What is to be said of one that others than this machine reach.
    exposed: Option<&'static str>,
}

const EXPOSED_OUTBOUND: &str = "anyone who reaches it can call the upstream with this machine's rights, and its traffic is \
                                not encrypted; listen on 127.0.0.1 or a Unix socket, unless a firewall keeps others out";
const EXPOSED_SITE: &str = "others on the network path can read and change its traffic; set `tls`, or `trusted.proxies` if \
                            another server terminates TLS for it";

/// Tells names and addresses that are given twice, and requests that would go round.
pub(super) fn check(
    sites: &[PlacedSite<'_>],
    outbounds: &[Placed<'_>],
    admin: Option<&(AdminSettings, Range<usize>)>,
    r: &mut Reading<'_>,
) {
    let mut names: HashMap<&str, Range<usize>> = HashMap::new();
    let mut addresses: HashMap<&ListenAddress, Range<usize>> = HashMap::new();
    if let Some((admin, span)) = admin {
        addresses.insert(&admin.listen, span.clone());
    }
    for Stand { level, name, origins, listen, exposed } in stands(sites, outbounds) {
        let span = level.at(&["name"]);
        if let Some(first) = names.get(name) {
            let (what, instead) = ("the name", "logs and metrics could not tell the two apart; choose another name");
            r.refuse(
                span,
                Problem::other(ConfigProblem::Twice { what, name: name.into(), line: r.line(first), instead }),
            );
        } else {
            names.insert(name, span);
        }
        for (address, span) in &listen {
            if let Some(first) = addresses.get(address) {
                let (what, instead) = ("the address", "only one listener can use an address; choose another address");
                let name = listen::text(address);
                r.refuse(
                    span.clone(),
                    Problem::other(ConfigProblem::Twice { what, name, line: r.line(first), instead }),
                );
                continue;
            }
            addresses.insert(address, span.clone());
            if let (ListenAddress::Tcp(tcp), Some(exposed)) = (address, exposed)
                && !tcp.ip().is_loopback()
            {
                r.warn(span.clone(), format!("`{tcp}` is not a loopback address: {exposed}"));
            }
        }
        goes_round(origins, &listen, level, r);
    }
}

fn stands<'a, 't>(sites: &'a [PlacedSite<'t>], outbounds: &'a [Placed<'t>]) -> Vec<Stand<'a, 't>> {
    let site = |site: &'a PlacedSite<'t>| Stand {
        level: &site.level,
        name: &site.settings.proxy.upstream.name,
        origins: &site.settings.proxy.upstream.origins,
        listen: site.listen.iter().chain(&site.redirect).collect(),
        exposed: (site.settings.tls.is_none() && site.settings.trusted.proxies.is_empty()).then_some(EXPOSED_SITE),
    };
    let outbound = |outbound: &'a Placed<'t>| Stand {
        level: &outbound.level,
        name: &outbound.settings.upstream.name,
        origins: &outbound.settings.upstream.origins,
        listen: outbound.listen.iter().collect(),
        exposed: Some(EXPOSED_OUTBOUND),
    };
    sites.iter().map(site).chain(outbounds.iter().map(outbound)).collect()
}

/// An upstream that is this listener itself.
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
    if origins.iter().any(|origin| is_own(&origin.at)) {
        let key = "upstream";
        let (value, expected) = (
            "an address where this table listens itself".into(),
            "another address: requests would go in a circle".into(),
        );
        r.refuse(level.at(&[key]), Problem::Value { key: key.into(), value, expected });
    }
}
