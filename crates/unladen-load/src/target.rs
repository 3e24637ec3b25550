//! The principal type is [`Target`]: where the connections of a request go.
//!
//! Names are resolved once, before anything is measured: a lookup during the run would be a cost that the
//! application did not cause.
//!
//! ```
//! use std::time::Duration;
//! use unladen_load::Target;
//!
//! let url = "http://127.0.0.1:8080/".parse()?;
//! let target = Target::resolve(&url, None, Duration::from_secs(5))?;
//! assert!(target.is_local());
//! assert_eq!(target.to_string(), "127.0.0.1:8080");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::error::LoadError;

/// Where to connect instead of to the URL's host; `Host` and TLS still go by the URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConnectTo {
    Address(SocketAddr),
    Unix(PathBuf),
}

/// A place to connect to, with its name resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    name: String,
    place: Address,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Address {
    /// In the order to try; never empty.
    Tcp(Vec<SocketAddr>),
    Unix(PathBuf),
}

// === impl Target ===

impl Target {
    /// Resolves a URL's host, in `within` at most. Fails when the name has no address, or the lookup takes longer.
    pub fn resolve(url: &Url, instead: Option<&ConnectTo>, within: Duration) -> Result<Self, LoadError> {
        let port = url.port_or_known_default().unwrap_or(80);
        let name = format!("{}:{port}", url.host_str().unwrap_or_default());
        let place = match (instead, url.host()) {
            (Some(ConnectTo::Unix(path)), _) => Address::Unix(path.clone()),
            (Some(ConnectTo::Address(address)), _) => Address::Tcp(vec![*address]),
            (None, Some(Host::Ipv4(ip))) => Address::Tcp(vec![(ip, port).into()]),
            (None, Some(Host::Ipv6(ip))) => Address::Tcp(vec![(ip, port).into()]),
            (None, host) => Address::Tcp(lookup(host.map(|host| host.to_string()).unwrap_or_default(), port, within)?),
        };
        Ok(Self { name, place })
    }

    /// Addresses in the order to try; none for a Unix socket.
    pub fn addresses(&self) -> &[SocketAddr] {
        match &self.place {
            Address::Tcp(addresses) => addresses,
            Address::Unix(_) => &[],
        }
    }

    /// Path of the Unix socket, if it is one.
    pub fn unix_path(&self) -> Option<&Path> {
        match &self.place {
            Address::Tcp(_) => None,
            Address::Unix(path) => Some(path),
        }
    }

    /// Whether it is on this machine: a Unix socket, a loopback address, or one of an interface here.
    ///
    /// Behind address translation, and in a container with its own network, a server may be on this machine and not be
    /// recognised.
    pub fn is_local(&self) -> bool {
        match &self.place {
            Address::Unix(_) => true,
            Address::Tcp(addresses) => {
                let own = own_addresses();
                addresses.iter().any(|address| {
                    let ip = address.ip().to_canonical();
                    ip.is_loopback() || ip.is_unspecified() || own.contains(&ip)
                })
            }
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
            Address::Tcp(addresses) => {
                f.write_str(&self.name)?;
                let others = addresses.iter().map(SocketAddr::to_string).filter(|address| *address != self.name);
                for (index, address) in others.enumerate() {
                    write!(f, "{}{address}", if index == 0 { " at " } else { ", " })?;
                }
                Ok(())
            }
        }
    }
}

/// Asks the system's resolver, which has no time limit of its own, from a thread that may be left behind.
fn lookup(host: String, port: u16, within: Duration) -> Result<Vec<SocketAddr>, LoadError> {
    let (answer, answered) = mpsc::sync_channel(1);
    let name = host.clone();
    thread::Builder::new()
        .name("unladen-resolve".into())
        .spawn(move || {
            let found = (name.as_str(), port).to_socket_addrs().map(|addresses| addresses.collect::<Vec<_>>());
            // Fails when the time limit has passed.
            let _ = answer.send(found);
        })
        .map_err(|source| LoadError::Thread { source })?;
    let mut addresses = match answered.recv_timeout(within) {
        Ok(Ok(addresses)) if !addresses.is_empty() => addresses,
        Ok(Ok(_)) => return Err(LoadError::NoAddress { host }),
        Ok(Err(source)) => return Err(LoadError::Resolve { host, source }),
        Err(_) => return Err(LoadError::ResolveTimeout { host, after: within }),
    };
    // The resolver gives an address once per line of /etc/hosts that names it.
    let mut seen = Vec::new();
    addresses.retain(|address| {
        !seen.contains(address) && {
            seen.push(*address);
            true
        }
    });
    Ok(addresses)
}

fn own_addresses() -> Vec<IpAddr> {
    let Ok(interfaces) = nix::ifaddrs::getifaddrs() else { return Vec::new() };
    interfaces
        .filter_map(|interface| interface.address)
        .filter_map(|address| {
            let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
            v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip())))
        })
        .collect()
}

#[cfg(test)]
mod tests;
