//! The principal type is [`Ports`]: whether `serve` could listen at the web's ports. It is not tried: a visitor could
//! connect meanwhile.

use std::net::{Ipv4Addr, SocketAddr};

use unladen_path::{Address, listeners, master, name_of};

use super::privileges::has;
use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::as_root;

pub(crate) struct Ports;

const VERBS: &[Verb] = &[Verb::Serve];
const CAP_NET_BIND_SERVICE: u32 = 10;
const PORTS: [u16; 2] = [80, 443];
/// First port that needs no privilege, unless the kernel says otherwise.
const FIRST: u16 = 1_024;

impl Check for Ports {
    fn name(&self) -> &'static str {
        "ports"
    }

    fn verbs(&self) -> &'static [Verb] {
        VERBS
    }

    fn look(&self, asked: &Asked) -> Vec<Row> {
        let status = asked.read("proc/self/status").unwrap_or_default();
        let first = asked.line("proc/sys/net/ipv4/ip_unprivileged_port_start").and_then(|line| line.parse().ok());
        let mut rows = Vec::new();
        rows.extend(permitted(first.unwrap_or(FIRST), has(&status, CAP_NET_BIND_SERVICE)));
        rows.extend(PORTS.into_iter().filter_map(taken));
        if rows.is_empty() {
            rows.push(Row::ok(VERBS, "80 and 443 are free, and `serve` may listen there"));
        }
        rows
    }
}

fn permitted(first: u16, is_privileged: bool) -> Option<Row> {
    (!is_privileged && PORTS.into_iter().any(|port| port < first)).then(|| {
        Row::limited(VERBS, format!("ports below {first} take CAP_NET_BIND_SERVICE"))
            .so("`serve` may not listen at 80 and 443")
            .fix(as_root("sysctl -w net.ipv4.ip_unprivileged_port_start=80"))
    })
}

fn taken(port: u16) -> Option<Row> {
    let address = Address::Tcp(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)));
    let holders = listeners(&address).ok().flatten()?;
    let who = master(&holders).map_or_else(|| "another user's process".to_owned(), name_of);
    let row = Row::limited(VERBS, format!("{who} listens at port {port}")).so("`serve` takes another port beside it");
    Some(match port {
        443 => row,
        _ => row.fix(format!("unladen serve --site :8080 --to http://127.0.0.1:{port}")),
    })
}

#[cfg(test)]
mod tests;
