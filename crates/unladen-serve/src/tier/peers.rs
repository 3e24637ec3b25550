//! The principal type is [`Peers`]: the nodes of a tier, as currently known.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};

use unladen_pool::{Address, Balancer, Endpoint, Upstream};
use xxhash_rust::xxh3::xxh3_64;

/// Any port will do; discard's is used.
const DISCARD: u16 = 9;

#[derive(Debug)]
pub(crate) struct Peers {
    /// This node's address, if configured.
    node: Option<SocketAddr>,
    ports: Vec<u16>,
    known: Mutex<Option<Known>>,
}

#[derive(Debug)]
struct Known {
    of: Arc<Balancer>,
    peers: Arc<[Peer]>,
}

#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) endpoint: Arc<Endpoint>,
    /// Hash of its address.
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
        // Names may resolve in another order elsewhere.
        let least = addresses.iter().min()?;
        let hash = hash(least.to_string().as_bytes());
        Some(Peer { endpoint: endpoint.clone(), hash, is_self: self.is_self(endpoint) })
    }

    pub(crate) fn is_self(&self, endpoint: &Endpoint) -> bool {
        let Address::Tcp(addresses) = &endpoint.address else { return false };
        match self.node {
            Some(node) => addresses.contains(&node),
            None => addresses.iter().any(|address| self.ports.contains(&address.port()) && is_here(address.ip())),
        }
    }
}

/// Whether it is an address of this machine: then the kernel uses it as the source to reach itself. Nothing is sent.
/// Binding proves nothing where `net.ipv4.ip_nonlocal_bind` is set, as beside keepalived.
fn is_here(address: IpAddr) -> bool {
    let any: IpAddr = if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let goes_from = || {
        let socket = UdpSocket::bind((any, 0))?;
        socket.connect((address, DISCARD))?;
        socket.local_addr()
    };
    address.is_loopback() || goes_from().is_ok_and(|from| from.ip() == address)
}

/// Hash of a key or a peer's address: the same on all machines and in all versions.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Places of the two peers with the highest weights for a key; `None` for an empty list. `peers`: places and hashes.
///
/// The highest owns the key: rendezvous hashing (Thaler and Ravishankar, "Using name-based mappings to increase hit
/// rates", IEEE/ACM Transactions on Networking 6 (1), 1998). Nodes with the same list agree on the owner without
/// communication; a lost peer's keys alone move, to the second of each.
pub(crate) fn highest_two(key: u64, peers: impl Iterator<Item = (usize, u64)>) -> Option<(usize, Option<usize>)> {
    let mut first: Option<(u64, u64, usize)> = None;
    let mut second: Option<(u64, u64, usize)> = None;
    for (place, peer) in peers {
        // Ties go to the higher hash on all nodes.
        let weight = (mix(key ^ peer), peer, place);
        if first.is_none_or(|first| weight > first) {
            second = first.replace(weight);
        } else if second.is_none_or(|second| weight > second) {
            second = Some(weight);
        }
    }
    first.map(|(.., place)| (place, second.map(|(.., place)| place)))
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014):
/// each bit of the result depends on all of `x`.
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests;
