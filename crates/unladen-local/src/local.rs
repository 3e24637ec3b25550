//! Whether a request names this machine: [`is_local`].

use std::net::{IpAddr, Ipv6Addr};

/// Whether the authority (of `Host`, or of the target) is a loopback name or address, with or without a port.
///
/// A browser sends the name that it looked up. Its owner may point any name to 127.0.0.1 (DNS rebinding), but not
/// these: `localhost` and names below it lead nowhere else (RFC 6761, section 6.3).
pub fn is_local(authority: &str) -> bool {
    if let Some(rest) = authority.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else { return false };
        let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        return is_port && address.parse::<Ipv6Addr>().is_ok_and(|address| is_loopback(address.into()));
    }
    let (host, port) = authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
    if !port.is_none_or(is_port) {
        return false;
    }
    if let Ok(address) = host.parse::<IpAddr>() {
        return is_loopback(address);
    }
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    host == "localhost" || host.strip_suffix(".localhost").is_some_and(|name| !name.is_empty())
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

fn is_port(port: &str) -> bool {
    !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok()
}
