//! [`is_near`]: whether a host is this machine, so that nobody listens in on the way.

use std::net::IpAddr;

/// Whether a host of a URL, in brackets or not, is this machine by its name or its address.
pub fn is_near(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback())
}
