//! The principal type is [`Outbounds`]: configuration of `unladen serve` beside an application, where it keeps the
//! connections to the services called.
//!
//! All rules use the same list, so that their lines agree for the same service and fit into one file.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use unladen_trace::{ConnectionSeen, Evidence, FileCall, FileOutcome, Protocol};

use super::peers::{self, LEAST_PER_REQUEST};
use crate::fix::Fix;
use crate::quoting;
use crate::stack::Stack;

/// Port of the first listener with TLS; each further one has the next port. No registered port is near it, and it lies
/// below Linux's ephemeral ports (32768 and up).
const FIRST_TLS_PORT: u16 = 18443;
const FIRST_PORT: u16 = 18080;
const FIRST_CLIENT_PORT: u16 = 32768;

const FILE: &str = "unladen.toml";

/// Longest name that `unladen serve` accepts, less room for a suffix.
const LONGEST_NAME: usize = 58;

const NOT_HTTP: &[(u16, &str)] = &[
    (465, "SMTP"),
    (636, "LDAP"),
    (993, "IMAP"),
    (995, "POP3"),
    (3269, "LDAP"),
    (3306, "MySQL"),
    (5432, "PostgreSQL"),
    (5671, "AMQP"),
    (6379, "Redis"),
    (6380, "Redis"),
    (6432, "PostgreSQL"),
    (8883, "MQTT"),
    (27017, "MongoDB"),
];

/// The system's authorities: Debian's, OpenSSL's and Alpine's, SUSE's, Fedora's under its three names.
const SYSTEM: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/ssl/cert.pem",
    "/usr/lib/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
];

#[derive(Debug)]
pub(super) struct Outbounds<'a> {
    evidence: &'a Evidence,
    all: Vec<Outbound<'a>>,
}

#[derive(Debug)]
pub(super) struct Outbound<'a> {
    name: String,
    port: u16,
    service: Service<'a>,
}

/// The service called, and the authorities that the caller trusts.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Service<'a> {
    host: Host<'a>,
    port: u16,
    is_tls: bool,
    ca: Option<&'a str>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Host<'a> {
    Name(&'a str),
    Address(IpAddr),
}

pub(super) fn not_http(seen: &ConnectionSeen) -> Option<&'static str> {
    let port = peers::port(seen)?;
    NOT_HTTP.iter().find(|(of, _)| *of == port).map(|(_, spoken)| *spoken)
}

/// The authorities file that a group opens with each connection. `None` for the system's, as far as can be told.
pub(super) fn trusted(evidence: &Evidence, group: usize) -> Option<&str> {
    let mut opened = evidence
        .files
        .iter()
        .filter(|file| file.group == group && file.call == FileCall::Open && file.outcome == FileOutcome::Found)
        .filter(|file| file.path.starts_with('/'))
        .filter(|file| [".pem", ".crt", ".cer"].iter().any(|end| file.path.ends_with(end)))
        // A client certificate is no authority.
        .filter(|file| !["client", "key"].iter().any(|word| file.path.contains(word)))
        .filter(|file| evidence.mean(&file.counted.requests) >= LEAST_PER_REQUEST)
        .map(|file| file.path.as_str());
    match (opened.next(), opened.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// What the application's own stack can do, as a further sentence; empty if nothing is known.
pub(super) fn without(stack: Stack) -> &'static str {
    match stack {
        Stack::Php => {
            ". Without a proxy: one curl handle (one Guzzle client) for all calls of a request; over requests, PHP 8.5 \
             keeps connections with curl_setopt($handle, CURLOPT_SHARE, \
             curl_share_init_persistent([CURL_LOCK_DATA_CONNECT, CURL_LOCK_DATA_SSL_SESSION, CURL_LOCK_DATA_DNS]))"
        }
        Stack::Python => ". Without a proxy: one requests.Session or httpx.Client for the life of the process",
        Stack::Node => {
            ". Without a proxy: one https.Agent({ keepAlive: true }) for all calls; from Node.js 19 on, \
             https.globalAgent is one"
        }
        Stack::Perl => {
            ". Without a proxy: one LWP::UserAgent with keep_alive => 16 for the life of the process, where that outlives \
             a request (FastCGI does, CGI does not)"
        }
        _ => "",
    }
}

impl<'a> Outbounds<'a> {
    pub(super) fn of(evidence: &'a Evidence) -> Self {
        let services: BTreeSet<Service<'_>> =
            peers::habits(evidence).filter_map(|seen| Service::of(evidence, seen)).collect();
        let (tls, plain): (Vec<_>, Vec<_>) = services.into_iter().partition(|service| service.is_tls);
        // Ports taken already, perhaps by an earlier fix.
        let taken: BTreeSet<u16> =
            evidence.connections.iter().filter(|seen| seen.local).filter_map(peers::port).collect();
        let free = |from: u16, until: u16| (from..until).filter(|port| !taken.contains(port));
        let tls = tls.into_iter().zip(free(FIRST_TLS_PORT, FIRST_CLIENT_PORT));
        let placed = plain.into_iter().zip(free(FIRST_PORT, FIRST_TLS_PORT)).chain(tls);
        let mut names = BTreeSet::new();
        let all = placed.map(|(service, port)| Outbound { name: unique(service.name(), &mut names), port, service });
        Self { evidence, all: all.collect() }
    }

    /// The listener for this peer; `None` if an HTTP proxy is of no use.
    pub(super) fn at(&self, seen: &ConnectionSeen) -> Option<&Outbound<'a>> {
        let service = Service::of(self.evidence, seen)?;
        self.all.iter().find(|outbound| outbound.service == service)
    }

    pub(super) fn named<'b>(&'b self, group: usize, asked: &'b str) -> impl Iterator<Item = &'b Outbound<'a>> {
        let of_group = peers::habits(self.evidence).filter(move |seen| seen.group == group);
        of_group.filter_map(|seen| self.at(seen)).filter(move |outbound| outbound.is_named(asked))
    }
}

/// Whether a question is for a name, or for it with a search suffix of /etc/resolv.conf.
fn is_asked_for(name: &str, asked: &str) -> bool {
    let Some((begin, rest)) = asked.split_at_checked(name.len()) else { return false };
    begin.eq_ignore_ascii_case(name) && (rest.is_empty() || rest.starts_with('.'))
}

fn unique(name: String, names: &mut BTreeSet<String>) -> String {
    let others = (2..).map(|number| format!("{name}-{number}"));
    let free = std::iter::once(name.clone()).chain(others).find(|name| !names.contains(name)).unwrap_or(name);
    names.insert(free.clone());
    free
}

impl Outbound<'_> {
    pub(super) fn call(&self) -> String {
        format!("call http://127.0.0.1:{} instead of {}", self.port, self.service.url())
    }

    pub(super) fn url(&self) -> String {
        self.service.url()
    }

    fn is_named(&self, asked: &str) -> bool {
        match self.service.host {
            Host::Name(name) => is_asked_for(name, asked),
            Host::Address(_) => false,
        }
    }

    pub(super) fn is_nameless(&self) -> bool {
        matches!(self.service.host, Host::Address(_))
    }

    fn lines(&self) -> Vec<String> {
        let Service { host, is_tls, ca, .. } = &self.service;
        let text = |name: &str, value: &str| format!("{name} = {}", quoting::toml_text(value));
        let mut lines = vec![
            "[[outbound]]".to_owned(),
            text("name", &self.name),
            text("listen", &format!("127.0.0.1:{}", self.port)),
            text("upstream", &self.service.url()),
        ];
        if let (true, Host::Address(address)) = (is_tls, host) {
            lines.push(text("server_name", &address.to_string()));
        }
        lines.extend(ca.map(|ca| text("ca", ca)));
        lines
    }

    pub(super) fn fix(advice: impl Into<String>, all: &[&Self]) -> Fix {
        let lines = all.iter().flat_map(|outbound| outbound.lines());
        Fix::advice(advice).lines(FILE, lines).command(format!("unladen serve --config {FILE}"))
    }
}

impl<'a> Service<'a> {
    /// nginx keeps connections itself. Local calls without TLS cost no less through a local proxy.
    fn of(evidence: &'a Evidence, seen: &'a ConnectionSeen) -> Option<Self> {
        let is_tls = match seen.protocol {
            Protocol::Tls => true,
            Protocol::Http if !seen.local => false,
            _ => return None,
        };
        let at: SocketAddr = seen.peer.parse().ok()?;
        let is_scoped = matches!(at, SocketAddr::V6(at) if at.scope_id() != 0);
        if is_scoped || at.port() == 0 || seen.opened.count.is_zero() {
            return None;
        }
        if is_tls && not_http(seen).is_some() || Stack::of(evidence, seen.group) == Stack::Nginx {
            return None;
        }
        let name = match is_tls {
            true => seen.server_name.as_deref(),
            false => only_name(evidence, seen),
        };
        let host = match name.filter(|name| is_name(name)) {
            Some(name) => Host::Name(name),
            None => Host::Address(at.ip().to_canonical()),
        };
        let ca = trusted(evidence, seen.group).filter(|_| is_tls);
        let ca = ca.filter(|path| !SYSTEM.contains(path));
        Some(Self { host, port: at.port(), is_tls, ca })
    }

    fn url(&self) -> String {
        let (scheme, usual) = if self.is_tls { ("https", 443) } else { ("http", 80) };
        let host = match self.host {
            Host::Name(name) => name.to_owned(),
            Host::Address(IpAddr::V6(address)) => format!("[{address}]"),
            Host::Address(address) => address.to_string(),
        };
        match self.port {
            port if port == usual => format!("{scheme}://{host}"),
            port => format!("{scheme}://{host}:{port}"),
        }
    }

    fn name(&self) -> String {
        let host = match self.host {
            Host::Name(name) => name.to_owned(),
            Host::Address(address) => address.to_string().replace(':', "-"),
        };
        let usual = if self.is_tls { 443 } else { 80 };
        let port = if self.port == usual { String::new() } else { format!("-{}", self.port) };
        // Both are ASCII.
        format!("{}{port}", host.get(..LONGEST_NAME - port.len()).unwrap_or(&host))
    }
}

/// A name allowed in a URL: letters, digits, `-`, `_` and `.`, and no address.
fn is_name(name: &str) -> bool {
    let is_label = |label: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        (1..=63).contains(&label.len()) && label.bytes().all(is_plain)
    };
    // URLs treat a name ending in a number as an address.
    let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit()) || label.starts_with("0x");
    name.len() <= 253 && name.split('.').all(is_label) && !name.rsplit('.').next().is_some_and(is_number)
}

/// The name of a plain-text peer: the one name that the group looks up, if it has one unnamed peer.
fn only_name<'a>(evidence: &'a Evidence, seen: &ConnectionSeen) -> Option<&'a str> {
    let of_group = || evidence.connections.iter().filter(|other| other.group == seen.group);
    let is_nameless = |other: &&ConnectionSeen| {
        other.server_name.is_none()
            && peers::is_tcp(other)
            && other.protocol != Protocol::Dns
            && !other.exchanges.count.is_zero()
    };
    if of_group().filter(is_nameless).any(|other| other.peer != seen.peer) {
        return None;
    }
    let known =
        |asked: &str| of_group().filter_map(|other| other.server_name.as_deref()).any(|name| is_asked_for(name, asked));
    let asked = || {
        let of_group = evidence.dns.iter().filter(|dns| dns.group == seen.group && !dns.counted.count.is_zero());
        let of_hosts = of_group.filter(|dns| matches!(dns.kind.as_str(), "A" | "AAAA" | "A+AAAA"));
        of_hosts.map(|dns| dns.name.as_str()).filter(|name| !known(name))
    };
    let shortest = asked().min_by_key(|name| name.len())?;
    asked().all(|name| is_asked_for(shortest, name)).then_some(shortest)
}

#[cfg(test)]
mod tests;
