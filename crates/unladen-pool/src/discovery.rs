//! The principal type is [`Discovery`]: the source of an upstream's endpoints, instead of the host of its URL.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// How the endpoints of an upstream are discovered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Discovery {
    pub from: EndpointSource,
    /// Zone of this process, whose endpoints come first; `None` to ignore zones.
    pub zone: Option<String>,
}

/// Source of an upstream's endpoints.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointSource {
    /// SRV records of a name such as `_http._tcp.app.example` (RFC 2782).
    Srv(String),
    File(PathBuf),
    Xds(XdsSource),
}

/// A cluster of a control plane.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct XdsSource {
    /// Whether TLS is used, verified against the system's authorities.
    pub tls: bool,
    /// A name or an address, without brackets.
    pub host: String,
    pub port: u16,
    pub cluster: String,
    pub node: String,
}

impl fmt::Display for EndpointSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Srv(name) => write!(f, "srv:{name}"),
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Xds(XdsSource { tls, host, port, cluster, node }) => {
                let scheme = if *tls { "xdss" } else { "xds" };
                let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
                write!(f, "{scheme}://{host}:{port}/{cluster}?node={node}")
            }
        }
    }
}
