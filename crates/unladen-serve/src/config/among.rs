//! Holds the listeners of a configuration against each other.

use std::collections::HashMap;
use std::ops::Range;

use unladen_pool::{Origin, Place};

use super::beside::Placed;
use super::listen;
use super::problem::Problem;
use super::reading::Reading;
use crate::settings::{AdminSettings, ListenAddress};

/// Tells names and addresses that are given twice, and requests that would go round.
pub(super) fn check(besides: &[Placed<'_>], admin: Option<&(AdminSettings, Range<usize>)>, r: &mut Reading<'_>) {
    let mut names: HashMap<&str, Range<usize>> = HashMap::new();
    let mut addresses: HashMap<&ListenAddress, Range<usize>> = HashMap::new();
    if let Some((admin, span)) = admin {
        addresses.insert(&admin.listen, span.clone());
    }
    for Placed { level, settings, listen, .. } in besides {
        let name = settings.upstream.name.as_str();
        let span = level.at(&["name"]);
        if let Some(first) = names.get(name) {
            let (what, instead) = ("the name", "logs and metrics could not tell them apart; give this one another");
            r.refuse(span, Problem::Twice { what, name: name.into(), line: r.line(first), instead });
        } else {
            names.insert(name, span);
        }
        for (address, span) in listen {
            if let Some(first) = addresses.get(address) {
                let (what, instead) = ("the address", "one listener is at each; give this one another");
                let name = listen::text(address);
                r.refuse(span.clone(), Problem::Twice { what, name, line: r.line(first), instead });
                continue;
            }
            addresses.insert(address, span.clone());
            each(address, span.clone(), r);
        }
        goes_round(&settings.upstream.origins, listen, level.at(&["upstream"]), r);
    }
}

fn each(address: &ListenAddress, span: Range<usize>, r: &mut Reading<'_>) {
    if let ListenAddress::Tcp(tcp) = address
        && !tcp.ip().is_loopback()
    {
        r.warn(
            span,
            format!(
                "`{tcp}` is no loopback address: whoever reaches it calls the upstream with what this side may, and \
                 nothing is encrypted on the way; listen on 127.0.0.1 or a Unix socket unless a firewall keeps others out"
            ),
        );
    }
}

/// An upstream that is this listener itself.
fn goes_round(origins: &[Origin], listen: &[(ListenAddress, Range<usize>)], span: Range<usize>, r: &mut Reading<'_>) {
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
        let key = "upstream".into();
        let (value, expected) =
            ("where this one listens itself".into(), "another place: requests would go round".into());
        r.refuse(span, Problem::Value { key, value, expected });
    }
}
