//! The principal type is [`Crowd`]: what each client and network has of a site at a time, so that a few leave something
//! for the others.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use unladen_pool::KeyedBuckets;
use unladen_serve_config::CrowdSettings;

/// Most clients, and most networks, with separate rates; those beyond share a bucket.
const KEYS: usize = 10_000;

#[derive(Debug)]
pub(crate) struct Crowd {
    settings: CrowdSettings,
    per_client: usize,
    // Counts outlive the settings.
    counts: Arc<Counts>,
    client_rate: Option<Arc<KeyedBuckets>>,
    network_rate: Option<Arc<KeyedBuckets>>,
}

#[derive(Debug, Default)]
struct Counts {
    // Entries only for those with something: no more than there are connections and requests.
    clients: Mutex<HashMap<IpAddr, Has>>,
    networks: Mutex<HashMap<IpAddr, Has>>,
    refused: AtomicU64,
    closed: AtomicU64,
}

/// Counts by [`What`].
type Has = [usize; 3];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Connections,
    /// Requests whose body has not fully come.
    Uploads,
    Requests,
}

#[derive(Debug)]
pub(crate) struct CrowdPermit {
    counts: Arc<Counts>,
    client: IpAddr,
    network: Option<IpAddr>,
    what: What,
}

impl Crowd {
    /// Keeps the counts of `before`.
    pub(crate) fn new(settings: &CrowdSettings, per_client: usize, before: Option<&Self>) -> Self {
        let buckets = |rate: f64| Arc::new(KeyedBuckets::new(rate, CrowdSettings::burst_of(rate), KEYS));
        let of_same_rate = before.filter(|before| before.settings.rate == settings.rate);
        let of_same_networks = before.filter(|before| {
            let length = |settings: &CrowdSettings| (settings.ipv4, settings.ipv6);
            before.settings.network_rate == settings.network_rate && length(&before.settings) == length(settings)
        });
        Self {
            settings: settings.clone(),
            per_client,
            counts: before.map(|before| before.counts.clone()).unwrap_or_default(),
            client_rate: match of_same_rate {
                Some(before) => before.client_rate.clone(),
                None => settings.rate.map(buckets),
            },
            network_rate: match of_same_networks {
                Some(before) => before.network_rate.clone(),
                None => settings.network_rate.map(buckets),
            },
        }
    }

    /// Connections closed as soon as they came.
    pub(crate) fn refused(&self) -> u64 {
        self.counts.refused.load(Ordering::Relaxed)
    }

    /// Idle connections closed to make room.
    pub(crate) fn closed(&self) -> u64 {
        self.counts.closed.load(Ordering::Relaxed)
    }

    pub(crate) fn count_closed(&self, count: usize) {
        self.counts.closed.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Admits one more; `None` if the client, or its network, is at its bound.
    pub(crate) fn enter(&self, address: IpAddr, what: What) -> Option<CrowdPermit> {
        let settings = &self.settings;
        let (of_client, of_network) = match what {
            What::Connections => (settings.connections, Some(settings.network_connections)),
            What::Uploads => (settings.uploads, Some(settings.network_uploads)),
            What::Requests => (self.per_client, None),
        };
        let (client, counts) = (network(address), &self.counts);
        let in_network = of_network.map(|bound| (self.network(address), bound));
        let mut is_in = add(&counts.clients, client, what, of_client);
        if is_in
            && let Some((network, bound)) = in_network
            && !add(&counts.networks, network, what, bound)
        {
            take(&counts.clients, client, what);
            is_in = false;
        }
        if is_in {
            let network = in_network.map(|(network, _)| network);
            return Some(CrowdPermit { counts: counts.clone(), client, network, what });
        }
        if what == What::Connections {
            counts.refused.fetch_add(1, Ordering::Relaxed);
        }
        None
    }

    /// Counts a request that comes, or one that goes to the application, as the settings say. The error says when one
    /// may come again.
    pub(crate) fn ask(&self, address: Option<IpAddr>, is_coming: bool, now: Instant) -> Result<(), Duration> {
        let Some(address) = address.filter(|_| self.settings.hits == is_coming) else { return Ok(()) };
        if let Some(buckets) = &self.client_rate {
            take_one(buckets, network(address), now)?;
        }
        match &self.network_rate {
            Some(buckets) => take_one(buckets, self.network(address), now),
            None => Ok(()),
        }
    }

    fn network(&self, address: IpAddr) -> IpAddr {
        match address.to_canonical() {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32_u32.saturating_sub(self.settings.ipv4.into())).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask))
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128_u32.saturating_sub(self.settings.ipv6.into())).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
        }
    }
}

impl Drop for CrowdPermit {
    fn drop(&mut self) {
        take(&self.counts.clients, self.client, self.what);
        if let Some(network) = self.network {
            take(&self.counts.networks, network, self.what);
        }
    }
}

/// An IPv6 customer has a whole /64 (RFC 6177), and so as many addresses as it likes.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}

fn take_one(buckets: &KeyedBuckets, of: IpAddr, now: Instant) -> Result<(), Duration> {
    match of {
        IpAddr::V4(of) => buckets.take(&of.octets(), now),
        IpAddr::V6(of) => buckets.take(&of.octets(), now),
    }
}

fn add(table: &Mutex<HashMap<IpAddr, Has>>, of: IpAddr, what: What, bound: usize) -> bool {
    let mut table = lock(table);
    let has = table.entry(of).or_default();
    let may = has[what as usize] < bound;
    if may {
        has[what as usize] += 1;
    } else if *has == Has::default() {
        table.remove(&of);
    }
    may
}

fn take(table: &Mutex<HashMap<IpAddr, Has>>, of: IpAddr, what: What) {
    if let Entry::Occupied(mut has) = lock(table).entry(of) {
        has.get_mut()[what as usize] = has.get()[what as usize].saturating_sub(1);
        if *has.get() == Has::default() {
            has.remove();
        }
    }
}

fn lock(table: &Mutex<HashMap<IpAddr, Has>>) -> MutexGuard<'_, HashMap<IpAddr, Has>> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
