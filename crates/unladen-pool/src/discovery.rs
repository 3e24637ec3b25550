//! The principal type is [`Discovery`]: where the endpoints of an upstream are learnt, in place of the host of its URL.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// Where the endpoints of an upstream are learnt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Discovery {
    /// What tells them.
    pub from: EndpointSource,
    /// The zone of this process, whose endpoints come first; none: all zones are alike.
    pub zone: Option<String>,
}

/// What tells the endpoints of an upstream.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointSource {
    /// The SRV records of a name such as `_http._tcp.app.example` (RFC 2782).
    Srv(String),
    /// A file of JSON, which is watched.
    File(PathBuf),
    /// A control plane that speaks Envoy's protocols.
    Xds(XdsSource),
}

/// A cluster of a control plane.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct XdsSource {
    /// Whether TLS is spoken, verified against the system's authorities.
    pub tls: bool,
    /// A name or an address, without brackets.
    pub host: String,
    pub port: u16,
    /// Whose endpoints they are.
    pub cluster: String,
    /// As whom it is asked (`node.id`).
    pub node: String,
}

/// As it is written in a configuration.
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
