//! The principal type is [`Route`]: where a proxy is called, and where that call goes.

use std::fmt;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::Result;

/// One listener of a proxy, and its upstream.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) name: String,
    pub(crate) listen: Listen,
    pub(crate) upstream: Upstream,
}

/// Where a proxy listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listen {
    /// A port of 127.0.0.1.
    Tcp(u16),
    Unix(PathBuf),
}

/// Where a call goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Upstream {
    /// Of 127.0.0.1.
    pub(crate) port: u16,
    pub(crate) tls: bool,
}

/// All that a proxy is told.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) routes: Vec<Route>,
    /// The certificate of the authority that the upstream's is to be verified with.
    pub(crate) ca: PathBuf,
}

// === impl Plan ===

impl Plan {
    /// A file that it reads may name the certificate with this.
    pub(crate) fn ca(&self) -> std::path::Display<'_> {
        self.ca.display()
    }
}

// === impl Route ===

impl Route {
    pub(crate) fn tcp(name: &str, upstream: Upstream, ports: &mut Ports) -> Result<Self> {
        Ok(Self { name: name.to_owned(), listen: Listen::Tcp(ports.free()?), upstream })
    }

    pub(crate) fn unix(name: &str, upstream: Upstream, folder: &Path) -> Self {
        Self { name: name.to_owned(), listen: Listen::Unix(folder.join(format!("{name}.sock"))), upstream }
    }
}

// === impl Upstream ===

impl Upstream {
    pub(crate) fn scheme(&self) -> &'static str {
        if self.tls { "https" } else { "http" }
    }
}

// === impl Listen ===

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(port) => write!(f, "127.0.0.1:{port}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl FromStr for Listen {
    type Err = Box<dyn std::error::Error>;

    fn from_str(text: &str) -> Result<Self> {
        match text.split_once(':') {
            Some(("unix", path)) => Ok(Self::Unix(path.into())),
            Some(("127.0.0.1", port)) => Ok(Self::Tcp(port.parse()?)),
            _ => Err(format!("no place to listen: {text}").into()),
        }
    }
}

/// Gives out ports that nobody has, below those that the kernel gives to who opens connections.
#[derive(Debug)]
pub(crate) struct Ports(u16);

impl Ports {
    pub(crate) fn new() -> Self {
        // Two benches at once begin at different places.
        Self(20_000 + u16::try_from(std::process::id() % 8_000).unwrap_or(0))
    }

    pub(crate) fn free(&mut self) -> Result<u16> {
        while self.0 < 32_000 {
            self.0 += 1;
            if TcpListener::bind((Ipv4Addr::LOCALHOST, self.0)).is_ok() {
                return Ok(self.0);
            }
        }
        Err("there is no free port below 32,000".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_they_are_written() {
        for listen in [Listen::Tcp(8080), Listen::Unix("/run/a.sock".into())] {
            assert_eq!(listen.to_string().parse::<Listen>().unwrap(), listen);
        }
        assert!("10.0.0.1:80".parse::<Listen>().is_err());
    }

    #[test]
    fn no_port_is_given_out_twice() {
        let mut ports = Ports::new();
        let first = ports.free().unwrap();
        assert!(ports.free().unwrap() > first);
    }
}
