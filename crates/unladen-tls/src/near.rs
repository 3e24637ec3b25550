//! [`is_near`]: whether a host is this machine, so that nobody can listen in on the way.

use std::net::IpAddr;

/// Whether a URL's host, in brackets or not, is this machine by name or address.
pub fn is_near(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback())
}
