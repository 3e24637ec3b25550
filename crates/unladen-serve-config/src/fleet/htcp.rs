//! Reads the HTCP keys of `[fleet]`.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;
use unladen_toml::{Bad, Problem, Value};

use crate::explain::Shown;
use crate::level::Level;
use crate::reading::Reading;
use crate::trusted;

/// The listen address, the senders allowed, and the multicast groups to join.
pub(super) fn read(level: &Level<'_>, r: &mut Reading<'_>) -> (Option<SocketAddr>, Vec<IpNet>, Vec<IpAddr>) {
    let shown = |listen: &Option<SocketAddr>| listen.map_or(Shown::None, |listen| Shown::Text(listen.to_string()));
    let listen = level.take("htcp", None, r, |value, _| address(value).map(Some), shown);
    let from = level.take("htcp_from", Vec::new(), r, nets, |nets: &Vec<IpNet>| trusted::show(nets, false));
    let groups = level.take("htcp_groups", Vec::new(), r, groups, |groups: &Vec<IpAddr>| {
        Shown::List(groups.iter().map(|group| Shown::Text(group.to_string())).collect())
    });
    let Some(address) = listen else {
        for (key, is_given) in [("htcp_from", !from.is_empty()), ("htcp_groups", !groups.is_empty())] {
            if is_given {
                r.refuse(level.at(&[key]), Problem::Alone { key, without: "`htcp`, the address that is listened at" });
            }
        }
        return (None, from, groups);
    };
    if from.is_empty() && !address.ip().is_loopback() {
        let without = "`htcp_from`: whoever can send a datagram there could purge; name who may";
        r.refuse(level.at(&["htcp"]), Problem::Alone { key: "htcp", without });
    }
    if let Some(group) = groups.iter().find(|group| group.is_ipv4() != address.is_ipv4()) {
        let without = if group.is_ipv4() { "an `htcp` of IPv4" } else { "an `htcp` of IPv6" };
        r.refuse(level.at(&["htcp_groups"]), Problem::Alone { key: "htcp_groups", without });
    }
    r.warn(
        level.at(&["htcp"]),
        "HTCP comes by UDP, which loses datagrams, and nobody notices: a page whose purge was lost stays until its lifetime \
         is over. Let all that is purged so have one (Cache-Control: s-maxage=…)",
    );
    (listen, from, groups)
}

fn address(value: &Value<'_>) -> Result<SocketAddr, Bad> {
    let form = "an address and a port, such as \"127.0.0.1:4827\"";
    let text = value.text_as(form)?;
    let address = text.parse::<SocketAddr>().ok().filter(|address| address.port() != 0);
    address.ok_or_else(|| value.refuse(format!("`{text}`"), form))
}

fn nets(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Vec<IpNet>, Bad> {
    match trusted::list(value, r)? {
        (nets, false) => Ok(nets),
        (_, true) => Err(value.refuse("`unix`", "addresses and networks: there is no UDP at a Unix socket here")),
    }
}

fn groups(value: &Value<'_>, _: &mut Reading<'_>) -> Result<Vec<IpAddr>, Bad> {
    let form = "addresses of multicast, such as [\"239.128.0.112\"]";
    let group = |one: Value<'_>| {
        let text = one.text_as(form)?;
        let group = text.parse::<IpAddr>().ok().filter(IpAddr::is_multicast);
        group.ok_or_else(|| one.refuse(format!("`{text}`"), form))
    };
    value.list(form)?.into_iter().map(group).collect()
}
