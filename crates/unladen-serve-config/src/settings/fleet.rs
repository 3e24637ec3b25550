//! The principal type is [`FleetSettings`]: the fleet that this process belongs to.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use unladen_fleet::{BusUrl, Wait, WhenCutOff};
use unladen_pool::{Origin, UpstreamSettings};

/// The fleet that this process belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetSettings {
    /// The engine that carries purges. It is shown without its password.
    pub purges: BusUrl,
    /// Authorities of the engine's certificate; `None` for the system's.
    pub ca: Option<PathBuf>,
    /// Changes with that file.
    #[serde(skip)]
    pub stamp: u64,
    /// The fleet's name on the engine.
    pub name: String,
    /// This node's name; `None` for the machine's.
    pub node: Option<String>,
    /// A node that has not been heard for this long is out of the fleet.
    pub lease: Duration,
    /// What happens to stored pages while the engine is unreachable.
    pub when_cut_off: WhenCutOff,
    /// Whom a purge waits for, unless it says so itself …
    pub wait: Wait,
    /// … and for how long.
    pub wait_for: Duration,
    /// Records that the engine keeps for nodes that catch up late.
    pub keep: u64,
    /// UDP address of HTCP purges.
    pub htcp: Option<SocketAddr>,
    /// HTCP senders allowed; empty for this machine alone.
    pub htcp_from: Vec<IpNet>,
    pub htcp_groups: Vec<IpAddr>,
}

/// Reception of HTCP purges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtcpSettings {
    pub listen: SocketAddr,
    /// Senders allowed; empty for this machine alone.
    pub from: Vec<IpNet>,
    pub groups: Vec<IpAddr>,
}

impl FleetSettings {
    /// The settings of HTCP, if it has an address.
    pub fn htcp(&self) -> Option<HtcpSettings> {
        let (from, groups) = (self.htcp_from.clone(), self.htcp_groups.clone());
        self.htcp.map(|listen| HtcpSettings { listen, from, groups })
    }
}

/// The peers that a node asks before the application.
#[derive(Clone, Debug, PartialEq)]
pub struct TierSettings {
    pub upstream: UpstreamSettings,
    /// Changes with the authorities' file.
    pub stamp: u64,
    /// The peers' shared secret …
    pub secret: TierSecret,
    /// … and its file.
    pub secret_file: PathBuf,
    /// This node's address among them; `None` if it finds out.
    pub node: Option<SocketAddr>,
    /// How long a peer may take to show that it is at work.
    pub deadline: Duration,
    /// A page is also kept here after this many requests.
    pub hot: u8,
}

/// The shared secret of a tier's nodes: 32 to 256 visible ASCII characters. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct TierSecret(String);

impl TierSecret {
    /// Fewest bytes.
    pub const SHORTEST: usize = 32;
    /// Most bytes.
    pub const LONGEST: usize = 256;

    /// `None` if it is too short, too long, or has characters that a header field may not have.
    pub fn new(text: &str) -> Option<Self> {
        let is_long_enough = (Self::SHORTEST..=Self::LONGEST).contains(&text.len());
        (is_long_enough && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Self(text.to_owned()))
    }

    /// For a peer, and nobody else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TierSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TierSecret(…)")
    }
}

/// By the configuration's keys; the secret is not shown.
impl Serialize for TierSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_struct("TierSettings", 7)?;
        let url = |origin: &Origin| format!("{}://{}", if origin.tls { "https" } else { "http" }, origin.authority);
        table.serialize_field("peers", &self.upstream.origins.iter().map(url).collect::<Vec<_>>())?;
        table.serialize_field("secret_file", &self.secret_file)?;
        table.serialize_field("node", &self.node)?;
        table.serialize_field("deadline", &self.deadline)?;
        table.serialize_field("hot", &self.hot)?;
        table.serialize_field("ca", &self.upstream.tls.ca)?;
        table.serialize_field("server_name", &self.upstream.tls.server_name)?;
        table.end()
    }
}

#[cfg(test)]
mod tests;
