//! The principal type is [`ControlPlane`]: learns the endpoints of a cluster by Envoy's protocols: CDS and EDS over
//! ADS, the state of the world (<https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol>).
//!
//! The cluster is requested by name; its resource names the endpoints' resource. Usable answers are accepted (ACK);
//! others are rejected with the reason (NACK), and the last accepted one stays.

mod grpc;
mod messages;
mod told;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::dial::dial;
use crate::discover::found::Found;
use crate::endpoint::Address;
use crate::resolve::Resolver;
use crate::retry;
use crate::settings::{Protocol, ResolveSettings, TlsSettings, XdsSource};
use crate::tls::Connector;
use crate::transport::Transport;
use grpc::Call;
pub(crate) use grpc::XdsError;
use messages::{DiscoveryRequest, DiscoveryResponse, Locality, Node, Status};
use told::Members;

const METHOD: &str = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
const CONNECT: Duration = Duration::from_secs(5);
/// As Envoy's own `initial_fetch_timeout`: after this, the lack of an answer is reported; waiting goes on.
const FIRST: Duration = Duration::from_secs(15);
/// First pause after a failure, jittered and doubled each time …
const FIRST_RETRY: Duration = Duration::from_millis(500);
/// … up to this.
const MAX_RETRY: Duration = Duration::from_secs(30);
/// gRPC's `INVALID_ARGUMENT`.
const INVALID: i32 = 3;

/// For `fuzz/`: the endpoints in a message for a cluster or an assignment of this name.
#[cfg(feature = "fuzzing")]
pub(super) fn fuzzing(message: &[u8], name: &str) -> Result<Option<Vec<Found>>, String> {
    let response = <DiscoveryResponse as prost::Message>::decode(message).map_err(|error| error.to_string())?;
    if response.type_url == messages::CLUSTER {
        return Ok(told::cluster(&response, name)?.map(|members| match members {
            Members::Listed(found) => found,
            Members::Named(_) => Vec::new(),
        }));
    }
    told::assignment(&response, name)
}

#[derive(Debug)]
pub(super) struct ControlPlane {
    source: XdsSource,
    zone: Option<String>,
    resolver: Arc<Resolver>,
    settings: ResolveSettings,
    connector: Option<Connector>,
    stream: Option<Stream>,
    due: Instant,
    failures: u32,
}

#[derive(Debug)]
struct Stream {
    call: Call,
    node: Option<Node>,
    cluster: Subscription,
    assignment: Option<Subscription>,
    /// Deadline of the first endpoints; `None` once they came or their lack was reported.
    first: Option<Instant>,
}

#[derive(Debug)]
struct Subscription {
    type_url: &'static str,
    name: String,
    version: String,
    nonce: String,
}

enum Outcome {
    Endpoints(Vec<Found>),
    Nothing,
    Refused(XdsError),
}

impl ControlPlane {
    pub(super) fn new(
        source: XdsSource,
        zone: Option<String>,
        resolver: Arc<Resolver>,
        settings: ResolveSettings,
    ) -> Self {
        let (due, failures) = (Instant::now(), 0);
        Self { source, zone, resolver, settings, connector: None, stream: None, due, failures }
    }

    pub(super) async fn next(&mut self) -> Result<Vec<Found>, XdsError> {
        loop {
            let stream = match &mut self.stream {
                Some(stream) => stream,
                None => {
                    tokio::time::sleep_until(self.due).await;
                    let opened = tokio::time::timeout(CONNECT, self.open()).await;
                    match opened.unwrap_or(Err(XdsError::Silent(CONNECT))) {
                        Ok(stream) => self.stream.insert(stream),
                        Err(error) => return Err(self.failed(error)),
                    }
                }
            };
            match stream.next().await {
                Ok(Outcome::Endpoints(found)) => {
                    self.failures = 0;
                    return Ok(found);
                }
                Ok(Outcome::Nothing) => {}
                Ok(Outcome::Refused(error)) => return Err(error),
                Err(error @ XdsError::Silent(_)) => return Err(error),
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    fn failed(&mut self, error: XdsError) -> XdsError {
        self.stream = None;
        self.failures = self.failures.saturating_add(1);
        let most = retry::bound(self.failures, FIRST_RETRY, MAX_RETRY);
        // Between half of it and all: not all nodes at once.
        self.due = Instant::now() + most.mul_f64(0.5 + 0.5 * fastrand::f64());
        error
    }

    async fn open(&mut self) -> Result<Stream, XdsError> {
        let XdsSource { tls, host, port, cluster, node } = &self.source;
        let addresses = self.resolver.lookup(host, *port, &self.settings).await?.addresses;
        let socket = dial(&Address::Tcp(addresses), CONNECT).await?;
        let transport = if *tls {
            let connector = match &self.connector {
                Some(connector) => connector.clone(),
                None => Connector::new(&TlsSettings::default(), Protocol::Http2)?,
            };
            self.connector = Some(connector.clone());
            Transport::tls(connector.connect(host, socket).await?)
        } else {
            Transport::Plain(socket)
        };
        let scheme = if *tls { "https" } else { "http" };
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        let call = Call::new(transport, format!("{scheme}://{host}:{port}{METHOD}")).await?;
        let node = Node {
            id: node.clone(),
            locality: self.zone.clone().map(|zone| Locality { zone }),
            user_agent_name: "unladen".to_owned(),
            user_agent_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let cluster = Subscription::new(messages::CLUSTER, cluster.clone());
        let first = Some(Instant::now() + FIRST);
        let mut stream = Stream { call, node: Some(node), cluster, assignment: None, first };
        let asked = stream.cluster.request(None);
        stream.send(asked)?;
        Ok(stream)
    }
}

impl Stream {
    /// The node is only sent in the first request of a call.
    fn send(&mut self, request: DiscoveryRequest) -> Result<(), XdsError> {
        let request = DiscoveryRequest { node: self.node.take(), ..request };
        self.call.send(&request)
    }

    async fn next(&mut self) -> Result<Outcome, XdsError> {
        let response: DiscoveryResponse = match self.first {
            None => self.call.receive().await?,
            Some(first) => match tokio::time::timeout_at(first, self.call.receive()).await {
                Ok(response) => response?,
                Err(_) => {
                    self.first = None;
                    return Err(XdsError::Silent(FIRST));
                }
            },
        };
        if response.type_url == messages::CLUSTER {
            return self.take_cluster(&response);
        }
        if response.type_url == messages::ASSIGNMENT && self.assignment.is_some() {
            return self.take_assignment(&response);
        }
        // It was not subscribed to: there is nothing to accept.
        Ok(Outcome::Nothing)
    }

    fn take_cluster(&mut self, response: &DiscoveryResponse) -> Result<Outcome, XdsError> {
        let members = match told::cluster(response, &self.cluster.name) {
            Err(why) => {
                let refusal = self.cluster.refuse(response, &why);
                self.send(refusal)?;
                return Ok(refused(response, why));
            }
            Ok(members) => members,
        };
        let accepted = self.cluster.accept(response);
        self.send(accepted)?;
        match members {
            None => Ok(Outcome::Refused(XdsError::NoCluster(self.cluster.name.clone()))),
            Some(Members::Listed(found)) => {
                self.assignment = None;
                self.first = None;
                Ok(Outcome::Endpoints(found))
            }
            Some(Members::Named(name)) => {
                if self.assignment.as_ref().is_none_or(|assignment| assignment.name != name) {
                    // Another name of the same type continues its version and nonce.
                    let mut assignment =
                        self.assignment.take().unwrap_or_else(|| Subscription::new(messages::ASSIGNMENT, name.clone()));
                    assignment.name = name;
                    let asked = assignment.request(None);
                    self.assignment = Some(assignment);
                    self.send(asked)?;
                }
                Ok(Outcome::Nothing)
            }
        }
    }

    fn take_assignment(&mut self, response: &DiscoveryResponse) -> Result<Outcome, XdsError> {
        let Some(assignment) = &mut self.assignment else { return Ok(Outcome::Nothing) };
        match told::assignment(response, &assignment.name) {
            Err(why) => {
                let refusal = assignment.refuse(response, &why);
                self.send(refusal)?;
                Ok(refused(response, why))
            }
            Ok(found) => {
                let accepted = assignment.accept(response);
                self.send(accepted)?;
                // A response need not contain all subscribed resources: missing ones are unchanged.
                let Some(found) = found else { return Ok(Outcome::Nothing) };
                self.first = None;
                Ok(Outcome::Endpoints(found))
            }
        }
    }
}

fn refused(response: &DiscoveryResponse, why: String) -> Outcome {
    let version = response.version_info.chars().filter(|letter| !letter.is_control()).take(100).collect();
    Outcome::Refused(XdsError::Refused { version, why })
}

impl Subscription {
    fn new(type_url: &'static str, name: String) -> Self {
        Self { type_url, name, version: String::new(), nonce: String::new() }
    }

    fn accept(&mut self, response: &DiscoveryResponse) -> DiscoveryRequest {
        self.version.clone_from(&response.version_info);
        self.nonce.clone_from(&response.nonce);
        self.request(None)
    }

    fn refuse(&mut self, response: &DiscoveryResponse, why: &str) -> DiscoveryRequest {
        self.nonce.clone_from(&response.nonce);
        self.request(Some(Status { code: INVALID, message: why.to_owned() }))
    }

    fn request(&self, error_detail: Option<Status>) -> DiscoveryRequest {
        DiscoveryRequest {
            version_info: self.version.clone(),
            node: None,
            resource_names: vec![self.name.clone()],
            type_url: self.type_url.to_owned(),
            response_nonce: self.nonce.clone(),
            error_detail,
        }
    }
}

#[cfg(test)]
mod tests;
