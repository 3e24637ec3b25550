//! The principal type is [`Clients`]: how many requests each client has under way, so that none starves the others.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Requests under way, by client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clients {
    // An entry for each client with a request under way: no more than requests there are.
    under_way: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// A request under way, until it is dropped.
#[derive(Debug)]
pub(crate) struct UnderWay {
    clients: Clients,
    client: IpAddr,
}

// === impl Clients ===

impl Clients {
    /// One more of this client; none: it has as many as it may.
    pub(crate) fn enter(&self, address: IpAddr, bound: usize) -> Option<UnderWay> {
        let client = network(address);
        let mut under_way = self.lock();
        let count = under_way.entry(client).or_insert(0);
        if *count >= bound {
            return None;
        }
        *count += 1;
        drop(under_way);
        Some(UnderWay { clients: self.clone(), client })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.clients.lock().entry(self.client) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

/// Of IPv6 a customer has a whole /64 (RFC 6177), and so as many addresses as it likes.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}

#[cfg(test)]
mod tests;
