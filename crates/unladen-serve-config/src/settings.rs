//! The principal type is [`Settings`]: what `serve` does, with every default filled in. `config` reads them from a
//! file.

mod fleet;
mod proxy;
mod route;
mod site;

use std::time::Duration;

use serde::Serialize;
use unladen_observability::{
    LogSettings, ObservabilitySettings, OtlpSettings, PeerAddress, ReadyCheck, config_document,
};

pub use self::fleet::*;
pub use self::proxy::*;
pub use self::route::*;
pub use self::site::*;

/// All settings of `serve`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settings {
    pub threads: usize,
    /// How long requests in flight may take after a stop or at a handover.
    pub drain: Duration,
    /// How long clients are still accepted after a stop was asked for, before `drain`.
    pub drain_delay: Duration,
    /// Bytes held for clients: unsent answers, requests, and bodies on their way.
    pub client_memory: usize,
    /// Zone of this machine: discovery may prefer endpoints in the same zone.
    pub zone: Option<String>,
    pub admin: Option<AdminSettings>,
    pub log: Option<LogSettings>,
    pub otlp: Option<OtlpSettings>,
    /// Nodes that purges have to reach.
    pub fleet: Option<FleetSettings>,
    /// Peers that are asked before applications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<TierSettings>,
    /// Proxies beside the application.
    pub outbound: Vec<ProxySettings>,
    /// Proxies in front of applications.
    pub site: Vec<crate::settings::SiteSettings>,
}

/// Where `serve` offers its metrics and live page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdminSettings {
    /// Loopback or a Unix socket.
    pub listen: ListenAddress,
    /// Address of probes for a supervisor on another machine.
    pub probes: Option<ListenAddress>,
    pub ready: Vec<ReadyCheck>,
    /// Other nodes, which the live page shows too.
    pub peers: Vec<PeerAddress>,
}

impl Settings {
    /// The settings of metrics, traces, logs and the live page.
    pub fn observability(&self) -> ObservabilitySettings {
        let admin = |admin: &AdminSettings| (admin.ready.clone(), admin.peers.clone());
        let (ready, peers) = self.admin.as_ref().map(admin).unwrap_or_default();
        ObservabilitySettings {
            log: self.log.clone(),
            otlp: self.otlp.clone(),
            peers,
            ready,
            config: config_document(self),
        }
    }
}
