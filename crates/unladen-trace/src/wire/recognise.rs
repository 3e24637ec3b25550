//! The principal function is [`recognise`].

#[cfg(test)]
mod tests;

use super::{dns, fastcgi, http, memcached, mysql, postgres, redis, syslog, tls};
use crate::event::Peer;
use crate::evidence::Protocol;

const LOGS: &[&str] = &["/dev/log", "/run/systemd/journal/dev-log", "/run/systemd/journal/socket", "/var/run/syslog"];
const RESOLVED: &str = "/run/systemd/resolve/io.systemd.Resolve";
/// DNS, multicast DNS, LLMNR.
const DNS_PORTS: &[u16] = &[53, 5353, 5355];

/// The protocol of a connection: by the first bytes sent, and if these are inconclusive by the peer. A connection whose
/// beginning was not seen is recognised too, if the first seen send begins a message.
pub fn recognise(first_sent: &[u8], peer: &Peer) -> Protocol {
    if first_sent.is_empty() {
        return Protocol::Silent;
    }
    let at = |paths: &[&str]| match peer {
        Peer::Unix(path) => paths.iter().any(|known| known.as_bytes() == path.as_slice()),
        _ => false,
    };
    let port = match peer {
        Peer::Ip(address) => address.port(),
        _ => 0,
    };
    let path = |part: &[u8]| matches!(peer, Peer::Unix(path) if memchr::memmem::find(path, part).is_some());
    // The peer decides, as log lines can look like anything.
    if at(LOGS) {
        return Protocol::Syslog;
    }
    if at(&[RESOLVED]) || DNS_PORTS.contains(&port) && !dns::questions(first_sent).is_empty() {
        return Protocol::Dns;
    }
    // The port decides which of the two is tried first: a few bytes can begin a message of either.
    if (port == 3306 || path(b"mysql") || path(b"maria")) && mysql::looks_like_mysql(first_sent) {
        return Protocol::Mysql;
    }
    if tls::record_types(first_sent).next().is_some() {
        Protocol::Tls
    } else if fastcgi::begins_request(first_sent) {
        Protocol::FastCgi
    } else if http::request(first_sent).is_some() {
        Protocol::Http
    } else if redis::command(first_sent).is_some() {
        Protocol::Redis
    } else if memcached::command(first_sent).is_some() {
        Protocol::Memcached
    } else if postgres::looks_like_postgres(first_sent) {
        Protocol::Postgres
    } else if mysql::looks_like_mysql(first_sent) {
        Protocol::Mysql
    } else if syslog::looks_like_syslog(first_sent) {
        Protocol::Syslog
    } else {
        Protocol::Other
    }
}
