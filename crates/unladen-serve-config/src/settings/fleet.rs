//! The principal type is [`FleetSettings`]: which fleet this process is a node of.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::Serialize;
use unladen_fleet::{BusUrl, Wait, WhenCutOff};

/// Which fleet this process is a node of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetSettings {
    /// The engine that carries purges. It is shown without its password.
    pub purges: BusUrl,
    /// The authorities that the engine's certificate is verified with; none: the system's.
    pub ca: Option<PathBuf>,
    /// Another number when that file is another.
    #[serde(skip)]
    pub stamp: u64,
    /// Which fleet of those on the engine.
    pub name: String,
    /// What this node is called; none: as the machine.
    pub node: Option<String>,
    /// A node that was not heard for so long is out of the fleet.
    pub lease: Duration,
    /// What is done with stored pages while the engine is not reached.
    pub when_cut_off: WhenCutOff,
    /// Whom a purge waits for, unless it says so itself …
    pub wait: Wait,
    /// … and for how long.
    pub wait_for: Duration,
    /// Records that the engine keeps for those who read on late.
    pub keep: u64,
    /// The address of UDP where purges of HTCP come in; none: nowhere.
    pub htcp: Option<SocketAddr>,
    /// Who may send them; empty: this machine.
    pub htcp_from: Vec<IpNet>,
    /// Groups that are joined for them.
    pub htcp_groups: Vec<IpAddr>,
}

/// Where purges of HTCP come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtcpSettings {
    /// The address of UDP.
    pub listen: SocketAddr,
    /// Who may send them; empty: this machine.
    pub from: Vec<IpNet>,
    /// Groups that are joined for them.
    pub groups: Vec<IpAddr>,
}

impl FleetSettings {
    /// Where purges of HTCP come in; none: nowhere.
    pub fn htcp(&self) -> Option<HtcpSettings> {
        let (from, groups) = (self.htcp_from.clone(), self.htcp_groups.clone());
        self.htcp.map(|listen| HtcpSettings { listen, from, groups })
    }
}
