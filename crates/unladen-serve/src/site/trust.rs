//! For whom a request is made. The principal types are [`Peer`], who is at the other end of a connection, and
//! [`Trust`]: who asks, according to the connection and trusted proxies.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::IpNet;
use unladen_http1::{Fields, Name};
use unladen_serve_config::{ForwardedBy, TrustedSettings};

/// Most proxies in a row. Each one counted is trusted, so nobody else can make it more.
const MOST_HOPS: usize = 32;
/// Most lines of one header that are read, from the last.
const MOST_LINES: usize = 8;
/// Longest meaningful element, in bytes.
const LONGEST: usize = 512;

/// Whose statements about the client are believed.
#[derive(Clone, Debug)]
pub(crate) struct Trust {
    v4: Box<[ipnet::Ipv4Net]>,
    v6: Box<[ipnet::Ipv6Net]>,
    unix: bool,
    by: ForwardedBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asker {
    /// `None` for a Unix socket whose client is not named.
    pub(crate) address: Option<IpAddr>,
    /// Whether it used https; `None` if nothing but the connection says.
    pub(crate) is_https: Option<bool>,
}

impl Trust {
    pub(crate) fn new(settings: &TrustedSettings) -> Self {
        let v4 = settings.proxies.iter().filter_map(|net| if let IpNet::V4(net) = net { Some(*net) } else { None });
        let v6 = settings.proxies.iter().filter_map(|net| if let IpNet::V6(net) = net { Some(*net) } else { None });
        Self { v4: v4.collect(), v6: v6.collect(), unix: settings.unix, by: settings.header }
    }

    pub(crate) fn is_trusted(&self, address: IpAddr) -> bool {
        match address.to_canonical() {
            IpAddr::V4(address) => self.v4.iter().any(|net| net.contains(&address)),
            IpAddr::V6(address) => self.v6.iter().any(|net| net.contains(&address)),
        }
    }

    /// Whether a connection's peer is trusted; a Unix socket has no address.
    pub(crate) fn is_trusted_peer(&self, peer: Option<IpAddr>) -> bool {
        peer.map_or(self.unix, |address| self.is_trusted(address))
    }

    /// The client: the connected peer, or whom it names if it is trusted.
    ///
    /// The header is read from its end, where the nearest proxy has written: the first untrusted address is the client;
    /// anyone may have written what precedes. An invalid address ends the search: the client is then the proxy that
    /// passed it on.
    pub(crate) fn asker(&self, fields: &Fields, peer: Option<IpAddr>) -> Asker {
        let peer = peer.map(|address| address.to_canonical());
        let mut asker = Asker { address: peer, is_https: None };
        if !self.is_trusted_peer(peer) {
            return asker;
        }
        let name = match self.by {
            ForwardedBy::XForwardedFor => Name::XForwardedFor,
            ForwardedBy::Forwarded => Name::Forwarded,
        };
        let mut hops = 0;
        for element in Elements::of(fields, name).take(MOST_HOPS) {
            let hop = match self.by {
                ForwardedBy::XForwardedFor => Asker { address: address_of(element), is_https: None },
                ForwardedBy::Forwarded => forwarded(element),
            };
            // Hidden, or invalid.
            let Some(address) = hop.address else { break };
            hops += 1;
            asker = hop;
            if !self.is_trusted(address) {
                break;
            }
        }
        if self.by == ForwardedBy::XForwardedFor {
            asker.is_https = scheme(fields, hops);
        }
        asker
    }
}

/// `X-Forwarded-Proto` has one value, or one for each proxy: then that of the proxy nearest the client.
fn scheme(fields: &Fields, hops: usize) -> Option<bool> {
    let mut found = None;
    for element in Elements::of(fields, Name::XForwardedProto).take(hops.max(1)) {
        found = Some(element);
    }
    found.and_then(is_https)
}

fn is_https(scheme: &[u8]) -> Option<bool> {
    match scheme {
        scheme if scheme.eq_ignore_ascii_case(b"https") => Some(true),
        scheme if scheme.eq_ignore_ascii_case(b"http") => Some(false),
        _ => None,
    }
}

/// Parses an element of `Forwarded` (RFC 7239, 4): `for` and `proto`.
fn forwarded(element: &[u8]) -> Asker {
    let nothing = Asker { address: None, is_https: None };
    let (mut address, mut https, mut has_for) = (None, None, false);
    let mut rest = element;
    while !rest.is_empty() {
        let (before, pair) = last_of(rest, b';');
        rest = before;
        let Some(equals) = pair.iter().position(|byte| *byte == b'=') else {
            if pair.is_empty() {
                continue;
            }
            return nothing;
        };
        let (name, value) = (&pair[..equals], &pair[equals + 1..]);
        let value = match value {
            [b'"', inner @ .., b'"'] => inner,
            value if value.contains(&b'"') => return nothing,
            value => value,
        };
        if name.eq_ignore_ascii_case(b"for") {
            // Readers differ on which of two counts.
            if std::mem::replace(&mut has_for, true) {
                return nothing;
            }
            address = address_of(value);
        } else if name.eq_ignore_ascii_case(b"proto") {
            https = is_https(value);
        }
    }
    Asker { address, is_https: https }
}

/// Parses an address with or without port, IPv6 with or without brackets. `None` for `unknown`, `_hidden` and the like.
fn address_of(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?;
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let address = match bare {
        Some(v6) => v6.parse::<Ipv6Addr>().map(IpAddr::V6).ok(),
        None => match text.parse::<SocketAddr>() {
            // Scoped addresses are of another machine.
            Ok(SocketAddr::V6(address)) if address.scope_id() != 0 => None,
            Ok(address) => Some(address.ip()),
            Err(_) => text.parse::<IpAddr>().ok().or_else(|| hidden_port(text)),
        },
    };
    address.map(|address| address.to_canonical())
}

/// `192.0.2.1:_port` (RFC 7239, 6): the port may be obfuscated, or its digits invalid.
fn hidden_port(text: &str) -> Option<IpAddr> {
    let (host, port) = text.rsplit_once(':')?;
    let is_hidden =
        port.strip_prefix('_').is_some_and(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_graphic()));
    if !is_hidden {
        return None;
    }
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(v6) => v6.parse::<Ipv6Addr>().map(IpAddr::V6).ok(),
        None => host.parse::<Ipv4Addr>().map(IpAddr::V4).ok(),
    }
}

/// Non-empty elements of a header's lines, the last first.
struct Elements<'a> {
    /// The last lines, in order.
    lines: [&'a [u8]; MOST_LINES],
    count: usize,
}

impl<'a> Elements<'a> {
    fn of(fields: &'a Fields, name: Name) -> Self {
        let mut lines = [&[][..]; MOST_LINES];
        let mut count = 0;
        for field in fields.iter().filter(|field| field.id == name) {
            if count == MOST_LINES {
                lines.rotate_left(1);
                count -= 1;
            }
            lines[count] = field.value;
            count += 1;
        }
        Self { lines, count }
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        while self.count > 0 {
            let line = &mut self.lines[self.count - 1];
            if line.is_empty() {
                self.count -= 1;
                continue;
            }
            let (before, element) = last_of(line, b',');
            *line = before;
            if !element.is_empty() {
                return Some(element);
            }
        }
        None
    }
}

/// Trimmed text behind the last unquoted separator, and what precedes it. Text that is too long is all there is, and
/// means nothing.
///
/// Scanned from the end: what a trusted proxy added is well-formed, and quotes that a client left open are to its left.
fn last_of(line: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let mut in_quotes = false;
    for (back, byte) in line.iter().rev().take(LONGEST).enumerate() {
        let at = line.len() - 1 - back;
        match *byte {
            b'"' if !is_escaped(&line[..at]) => in_quotes = !in_quotes,
            byte if byte == separator && !in_quotes => return (&line[..at], line[at + 1..].trim_ascii()),
            _ => {}
        }
    }
    if line.len() > LONGEST { (&[], b"?") } else { (&[], line.trim_ascii()) }
}

/// Whether an odd number of backslashes precedes (RFC 9110, 5.6.4).
fn is_escaped(before: &[u8]) -> bool {
    before.iter().rev().take(LONGEST).take_while(|byte| **byte == b'\\').count() % 2 == 1
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peer {
    /// `None` for a Unix socket.
    pub(crate) address: Option<IpAddr>,
    pub(crate) port: Option<u16>,
    pub(crate) is_https: bool,
    /// Site named in TLS, if there are several at the address.
    pub(crate) named: Option<Named>,
}

/// A site that a client has named in TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Hash of its name.
    pub(crate) site: u64,
    /// Hash of its certificates.
    pub(crate) appearance: u64,
}

impl Peer {
    pub(crate) fn plain(address: Option<SocketAddr>) -> Self {
        let (address, port) = (address.map(|address| address.ip()), address.map(|address| address.port()));
        Self { address, port, is_https: false, named: None }
    }
}

/// Converts IPv4-mapped IPv6 addresses to IPv4.
pub(crate) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(test)]
mod tests;
