//! The principal type is [`FleetSettings`]: the fleet that this process belongs to.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::Serialize;
use unladen_fleet::{BusUrl, Wait, WhenCutOff};

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
