//! The principal type is [`Settings`]: what `serve` does, with every default filled in. `config` reads them from a
//! file.

mod acme;
mod application;
mod fleet;
mod host_name;
mod proxy;
mod queue;
mod route;
mod site;
mod snapshot;
mod tier;

use std::time::Duration;

use serde::Serialize;
use unladen_observability::{
    LogSettings, ObservabilitySettings, OtlpSettings, PeerAddress, ReadyCheck, config_document,
};

pub use self::acme::*;
pub use self::application::*;
pub use self::fleet::*;
pub use self::host_name::*;
pub use self::proxy::*;
pub use self::queue::*;
pub use self::route::*;
pub use self::site::*;
pub use self::snapshot::*;
pub use self::tier::*;

/// What `serve` does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Threads that carry requests.
    pub threads: usize,
    /// How long requests in flight may take when it stops or hands over.
    pub drain: Duration,
    /// How long it goes on to accept clients after it was asked to stop, before that.
    pub drain_delay: Duration,
    /// Bytes that may be held for clients: what waits to be sent to them, their requests, and bodies on their way.
    pub client_memory: usize,
    /// Where this machine stands: what tells endpoints may prefer those of the same zone.
    pub zone: Option<String>,
    /// Where it shows itself.
    pub admin: Option<AdminSettings>,
    /// The access log.
    pub log: Option<LogSettings>,
    /// Traces and metrics for a collector.
    pub otlp: Option<OtlpSettings>,
    /// Nodes that purges have to reach.
    pub fleet: Option<FleetSettings>,
    /// Peers that are asked before applications are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<TierSettings>,
    /// Beside the application.
    pub outbound: Vec<ProxySettings>,
    /// In front of applications.
    pub site: Vec<crate::settings::SiteSettings>,
}

/// Where `serve` shows itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdminSettings {
    /// Loopback or a Unix socket.
    pub listen: ListenAddress,
    /// Where a supervisor on another machine asks how it does; none: nowhere.
    pub probes: Option<ListenAddress>,
    /// What has to be so for it to be ready.
    pub ready: Vec<ReadyCheck>,
    /// Other nodes, which the live page shows too.
    pub peers: Vec<PeerAddress>,
}

impl Settings {
    /// What of it is to be seen, and where.
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
