//! Holds the listeners of a configuration against each other.

use std::collections::HashMap;
use std::ops::Range;

use unladen_pool::{Origin, Place};

use super::beside::Placed;
use super::front::PlacedFront;
use super::level::Level;
use super::listen;
use super::problem::Problem;
use super::reading::Reading;
use crate::settings::{AdminSettings, ListenAddress};

/// One of them, in front or beside.
struct Stand<'a, 't> {
    level: &'a Level<'t>,
    name: &'a str,
    origins: &'a [Origin],
    listen: Vec<&'a (ListenAddress, Range<usize>)>,
    /// What is to be said of one that others than this machine reach.
    exposed: Option<&'static str>,
}

const BESIDE: &str = "whoever reaches it calls the upstream with what this side may, and nothing is encrypted on the way; listen on \
                      127.0.0.1 or a Unix socket unless a firewall keeps others out";
const PLAIN_FRONT: &str = "what clients send and get there can be read and changed on the way; give it `tls`, or `trusted.proxies` if \
                           another server has TLS for it";

/// Tells names and addresses that are given twice, and requests that would go round.
pub(super) fn check(
    fronts: &[PlacedFront<'_>],
    besides: &[Placed<'_>],
    admin: Option<&(AdminSettings, Range<usize>)>,
    r: &mut Reading<'_>,
) {
    let mut names: HashMap<&str, Range<usize>> = HashMap::new();
    let mut addresses: HashMap<&ListenAddress, Range<usize>> = HashMap::new();
    if let Some((admin, span)) = admin {
        addresses.insert(&admin.listen, span.clone());
    }
    for Stand { level, name, origins, listen, exposed } in stands(fronts, besides) {
        let span = level.at(&["name"]);
        if let Some(first) = names.get(name) {
            let (what, instead) = ("the name", "logs and metrics could not tell them apart; give this one another");
            r.refuse(span, Problem::Twice { what, name: name.into(), line: r.line(first), instead });
        } else {
            names.insert(name, span);
        }
        for (address, span) in &listen {
            if let Some(first) = addresses.get(address) {
                let (what, instead) = ("the address", "one listener is at each; give this one another");
                let name = listen::text(address);
                r.refuse(span.clone(), Problem::Twice { what, name, line: r.line(first), instead });
                continue;
            }
            addresses.insert(address, span.clone());
            if let (ListenAddress::Tcp(tcp), Some(exposed)) = (address, exposed)
                && !tcp.ip().is_loopback()
            {
                r.warn(span.clone(), format!("`{tcp}` is no loopback address: {exposed}"));
            }
        }
        goes_round(origins, &listen, level, r);
    }
}

fn stands<'a, 't>(fronts: &'a [PlacedFront<'t>], besides: &'a [Placed<'t>]) -> Vec<Stand<'a, 't>> {
    let front = |front: &'a PlacedFront<'t>| Stand {
        level: &front.level,
        name: &front.settings.app.upstream.name,
        origins: &front.settings.app.upstream.origins,
        listen: front.listen.iter().chain(&front.redirect).collect(),
        exposed: (front.settings.tls.is_none() && front.settings.trusted.proxies.is_empty()).then_some(PLAIN_FRONT),
    };
    let beside = |beside: &'a Placed<'t>| Stand {
        level: &beside.level,
        name: &beside.settings.upstream.name,
        origins: &beside.settings.upstream.origins,
        listen: beside.listen.iter().collect(),
        exposed: Some(BESIDE),
    };
    fronts.iter().map(front).chain(besides.iter().map(beside)).collect()
}

/// An upstream that is this listener itself.
fn goes_round(origins: &[Origin], listen: &[&(ListenAddress, Range<usize>)], level: &Level<'_>, r: &mut Reading<'_>) {
    let is_own = |place: &Place| {
        listen.iter().any(|(address, _)| match (place, address) {
            (Place::Unix(path), ListenAddress::Unix(own)) => path == own,
            (Place::Tcp(host, port), ListenAddress::Tcp(own)) => {
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
        let key = if level.table == "front" { "app" } else { "upstream" };
        let (value, expected) =
            ("where this one listens itself".into(), "another place: requests would go round".into());
        r.refuse(level.at(&[key]), Problem::Value { key: key.into(), value, expected });
    }
}
