//! The principal type is [`Peers`]: the nodes of a tier, as they are known now.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};

use unladen_pool::{Address, Balancer, Endpoint, Upstream};

use super::rendezvous::hash;

/// A port has to be said; it is the one of nothing.
const DISCARD: u16 = 9;

/// The nodes of a tier, as they are known now.
#[derive(Debug)]
pub(crate) struct Peers {
    /// Which of them this one is, if that is configured.
    node: Option<SocketAddr>,
    /// The ports that sites listen at.
    ports: Vec<u16>,
    known: Mutex<Option<Known>>,
}

/// What the nodes of a list are.
#[derive(Debug)]
struct Known {
    of: Arc<Balancer>,
    peers: Arc<[Peer]>,
}

/// A node.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) endpoint: Arc<Endpoint>,
    /// Of its address.
    pub(crate) hash: u64,
    pub(crate) is_self: bool,
}

impl Peers {
    pub(crate) fn new(node: Option<SocketAddr>, ports: Vec<u16>) -> Self {
        Self { node, ports, known: Mutex::default() }
    }

    /// All that are not drained.
    pub(crate) fn now(&self, upstream: &Upstream) -> Arc<[Peer]> {
        let endpoints = upstream.endpoints();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(known) if Arc::ptr_eq(&known.of, &endpoints) => known.peers.clone(),
            _ => {
                let peers: Arc<[Peer]> = endpoints.endpoints().iter().filter_map(|one| self.peer(one)).collect();
                *known = Some(Known { of: endpoints, peers: peers.clone() });
                peers
            }
        }
    }

    fn peer(&self, endpoint: &Arc<Endpoint>) -> Option<Peer> {
        let Address::Tcp(addresses) = &endpoint.address else { return None };
        // Names may be looked up in another order elsewhere.
        let least = addresses.iter().min()?;
        let hash = hash(least.to_string().as_bytes());
        Some(Peer { endpoint: endpoint.clone(), hash, is_self: self.is_self(endpoint) })
    }

    /// Whether it is this node.
    pub(crate) fn is_self(&self, endpoint: &Endpoint) -> bool {
        let Address::Tcp(addresses) = &endpoint.address else { return false };
        match self.node {
            Some(node) => addresses.contains(&node),
            None => addresses.iter().any(|address| self.ports.contains(&address.port()) && is_here(address.ip())),
        }
    }
}

/// Whether it is an address of this machine: the kernel goes there from that address itself. Nothing is sent. That it
/// could be bound to says nothing where `net.ipv4.ip_nonlocal_bind` is set, as beside keepalived.
fn is_here(address: IpAddr) -> bool {
    let any: IpAddr = if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let goes_from = || {
        let socket = UdpSocket::bind((any, 0))?;
        socket.connect((address, DISCARD))?;
        socket.local_addr()
    };
    address.is_loopback() || goes_from().is_ok_and(|from| from.ip() == address)
}

#[cfg(test)]
mod tests;
