//! The principal type is [`Route`]: where a proxy is called, and where that call goes.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::rig::listen::Listen;
use crate::rig::ports::Ports;

/// One listener of a proxy, and its upstream.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) name: String,
    pub(crate) listen: Listen,
    pub(crate) upstream: Upstream,
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

impl Plan {
    /// A file that it reads may name the certificate with this.
    pub(crate) fn ca(&self) -> std::path::Display<'_> {
        self.ca.display()
    }
}

impl Route {
    pub(crate) fn tcp(name: &str, upstream: Upstream, ports: &mut Ports) -> Result<Self> {
        Ok(Self { name: name.to_owned(), listen: Listen::Tcp(ports.free()?), upstream })
    }

    pub(crate) fn unix(name: &str, upstream: Upstream, folder: &Path) -> Self {
        Self { name: name.to_owned(), listen: Listen::Unix(folder.join(format!("{name}.sock"))), upstream }
    }
}

impl Upstream {
    pub(crate) fn scheme(&self) -> &'static str {
        if self.tls { "https" } else { "http" }
    }
}
