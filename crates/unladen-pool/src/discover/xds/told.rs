//! Meaning of a control plane's resources: [`cluster`], [`assignment`].

use std::collections::HashSet;
use std::net::IpAddr;
use std::path::PathBuf;

use prost::Message;

use super::messages::{self as m, Any, ClusterType, DiscoveryResponse, HealthStatus, Place};
use crate::discover::found::{Found, LONGEST_ZONE, MOST, is_zone};
use crate::endpoint::Address;

/// Maximum bytes of a resource: an endpoint takes more memory than its message.
const LARGEST: usize = 1 << 20;
/// Envoy's own bound.
const MOST_PRIORITY: u32 = 127;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Members {
    Named(String),
    Listed(Vec<Found>),
}

/// The cluster of this name; `None` if it is not included.
pub(super) fn cluster(response: &DiscoveryResponse, name: &str) -> Result<Option<Members>, String> {
    for resource in &response.resources {
        let cluster: m::Cluster = decode(resource, m::CLUSTER)?;
        if cluster.name != name {
            continue;
        }
        let kind = cluster.kind.unwrap_or_default();
        return match ClusterType::try_from(kind) {
            Ok(ClusterType::Eds) => {
                let service = cluster.eds.map(|eds| eds.service_name).filter(|service| !service.is_empty());
                Ok(Some(Members::Named(service.unwrap_or(cluster.name))))
            }
            Ok(ClusterType::Static) => {
                let listed = cluster.load_assignment.as_ref().map_or(Ok(Vec::new()), found)?;
                Ok(Some(Members::Listed(listed)))
            }
            _ => Err(format!("the cluster `{name}` has the discovery type {kind}, expected EDS or STATIC")),
        };
    }
    Ok(None)
}

/// The endpoints of the assignment of this name; `None` if it is not included.
pub(super) fn assignment(response: &DiscoveryResponse, name: &str) -> Result<Option<Vec<Found>>, String> {
    for resource in &response.resources {
        let assignment: m::Assignment = decode(resource, m::ASSIGNMENT)?;
        if assignment.cluster_name == name {
            return found(&assignment).map(Some);
        }
    }
    Ok(None)
}

fn decode<M: Message + Default>(resource: &Any, kind: &str) -> Result<M, String> {
    if resource.type_url != kind {
        return Err(format!("a resource of the type `{}`, expected `{kind}`", shown(&resource.type_url)));
    }
    if resource.value.len() > LARGEST {
        return Err(format!("a resource of {} bytes; at most {LARGEST} are read", resource.value.len()));
    }
    M::decode(resource.value.as_slice()).map_err(|error| format!("a resource that cannot be read: {error}"))
}

fn found(assignment: &m::Assignment) -> Result<Vec<Found>, String> {
    let mut all: Vec<Found> = Vec::new();
    let mut seen = HashSet::new();
    for group in &assignment.endpoints {
        let zone = group.locality.as_ref().map(|locality| locality.zone.clone()).filter(|zone| !zone.is_empty());
        if let Some(zone) = zone.as_deref().filter(|zone| !is_zone(zone)) {
            return Err(format!(
                "the zone `{}`, expected a name of 1 to {LONGEST_ZONE} bytes, on one line",
                shown(zone)
            ));
        }
        if group.priority > MOST_PRIORITY {
            return Err(format!("the priority {}, expected 0 to {MOST_PRIORITY}", group.priority));
        }
        for one in &group.endpoints {
            let address = address(one)?;
            if !seen.insert(address.clone()) {
                return Err(format!("the address {address} twice in `{}`", shown(&assignment.cluster_name)));
            }
            if all.len() == MOST {
                return Err(format!("more than {MOST} endpoints in `{}`", shown(&assignment.cluster_name)));
            }
            let weight = one.weight.as_ref().map_or(1, |weight| weight.value);
            if weight == 0 {
                return Err(format!("the weight 0 of {address}, expected 1 or more"));
            }
            let is_out =
                |health| matches!(health, HealthStatus::Draining | HealthStatus::Unhealthy | HealthStatus::Timeout);
            // Unknown newer states do not exclude an endpoint.
            let draining = HealthStatus::try_from(one.health).is_ok_and(is_out);
            all.push(Found { address, weight, priority: group.priority, zone: zone.clone(), draining });
        }
    }
    Ok(all)
}

fn address(one: &m::LbEndpoint) -> Result<Address, String> {
    let place = one.endpoint.as_ref().and_then(|endpoint| endpoint.address.as_ref()?.place.as_ref());
    match place {
        Some(Place::Socket(m::SocketAddress { protocol: 0, address, port })) => {
            let ip: Option<IpAddr> = address.parse().ok();
            let port = u16::try_from(*port).ok().filter(|port| *port > 0);
            match (ip, port) {
                (Some(ip), Some(port)) if !ip.is_unspecified() && !ip.is_multicast() => {
                    Ok(Address::Tcp(vec![(ip, port).into()]))
                }
                _ => Err(format!("an endpoint at `{}`, expected an IP address and a port", shown(address))),
            }
        }
        Some(Place::Pipe(m::Pipe { path }))
            if path.starts_with('/') && path.len() < 108 && !path.chars().any(char::is_control) =>
        {
            Ok(Address::Unix(PathBuf::from(path)))
        }
        _ => Err("an endpoint without an address of TCP or of a Unix socket".to_owned()),
    }
}

fn shown(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(100).collect()
}

#[cfg(test)]
mod tests;
