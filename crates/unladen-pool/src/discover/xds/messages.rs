//! The messages of Envoy's protocols, as far as endpoints need them: <https://github.com/envoyproxy/data-plane-api>,
//! `envoy/service/discovery/v3`, `envoy/config/cluster/v3`, `envoy/config/endpoint/v3`, `envoy/config/core/v3`. Other
//! fields are skipped, as Protocol Buffers do.

use prost::{Enumeration, Message, Oneof};

pub(super) const CLUSTER: &str = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
pub(super) const ASSIGNMENT: &str = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment";

#[derive(Clone, PartialEq, Message)]
pub(super) struct DiscoveryRequest {
    #[prost(string, tag = "1")]
    pub(super) version_info: String,
    #[prost(message, optional, tag = "2")]
    pub(super) node: Option<Node>,
    #[prost(string, repeated, tag = "3")]
    pub(super) resource_names: Vec<String>,
    #[prost(string, tag = "4")]
    pub(super) type_url: String,
    #[prost(string, tag = "5")]
    pub(super) response_nonce: String,
    #[prost(message, optional, tag = "6")]
    pub(super) error_detail: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Node {
    #[prost(string, tag = "1")]
    pub(super) id: String,
    #[prost(message, optional, tag = "4")]
    pub(super) locality: Option<Locality>,
    #[prost(string, tag = "6")]
    pub(super) user_agent_name: String,
    #[prost(string, tag = "7")]
    pub(super) user_agent_version: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Locality {
    #[prost(string, tag = "2")]
    pub(super) zone: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Status {
    #[prost(int32, tag = "1")]
    pub(super) code: i32,
    #[prost(string, tag = "2")]
    pub(super) message: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct DiscoveryResponse {
    #[prost(string, tag = "1")]
    pub(super) version_info: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) resources: Vec<Any>,
    #[prost(string, tag = "4")]
    pub(super) type_url: String,
    #[prost(string, tag = "5")]
    pub(super) nonce: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Any {
    #[prost(string, tag = "1")]
    pub(super) type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Cluster {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(enumeration = "ClusterType", optional, tag = "2")]
    pub(super) kind: Option<i32>,
    #[prost(message, optional, tag = "3")]
    pub(super) eds: Option<EdsClusterConfig>,
    #[prost(message, optional, tag = "33")]
    pub(super) load_assignment: Option<Assignment>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub(super) enum ClusterType {
    Static = 0,
    StrictDns = 1,
    LogicalDns = 2,
    Eds = 3,
    OriginalDst = 4,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EdsClusterConfig {
    #[prost(string, tag = "2")]
    pub(super) service_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Assignment {
    #[prost(string, tag = "1")]
    pub(super) cluster_name: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) endpoints: Vec<LocalityEndpoints>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct LocalityEndpoints {
    #[prost(message, optional, tag = "1")]
    pub(super) locality: Option<Locality>,
    #[prost(message, repeated, tag = "2")]
    pub(super) endpoints: Vec<LbEndpoint>,
    #[prost(uint32, tag = "5")]
    pub(super) priority: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct LbEndpoint {
    #[prost(message, optional, tag = "1")]
    pub(super) endpoint: Option<Endpoint>,
    #[prost(enumeration = "HealthStatus", tag = "2")]
    pub(super) health: i32,
    #[prost(message, optional, tag = "4")]
    pub(super) weight: Option<UInt32Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub(super) enum HealthStatus {
    Unknown = 0,
    Healthy = 1,
    Unhealthy = 2,
    Draining = 3,
    Timeout = 4,
    Degraded = 5,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct UInt32Value {
    #[prost(uint32, tag = "1")]
    pub(super) value: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Endpoint {
    #[prost(message, optional, tag = "1")]
    pub(super) address: Option<Address>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Address {
    #[prost(oneof = "Place", tags = "1, 2")]
    pub(super) place: Option<Place>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Place {
    #[prost(message, tag = "1")]
    Socket(SocketAddress),
    #[prost(message, tag = "2")]
    Pipe(Pipe),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SocketAddress {
    /// 0: TCP.
    #[prost(int32, tag = "1")]
    pub(super) protocol: i32,
    #[prost(string, tag = "2")]
    pub(super) address: String,
    #[prost(uint32, tag = "3")]
    pub(super) port: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Pipe {
    #[prost(string, tag = "1")]
    pub(super) path: String,
}
