//! The principal type is [`Crowd`]: what each client and each network has of a site at a time, so that few of them
//! leave nothing for the others.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use unladen_pool::KeyedBuckets;
use unladen_serve_config::CrowdSettings;

/// Clients, and as many networks, whose rates are kept apart; those beyond share a bucket.
const KEYS: usize = 10_000;

/// What each client and each network has at a time, and may have.
#[derive(Debug)]
pub(crate) struct Crowd {
    settings: CrowdSettings,
    /// Requests of a client at the application.
    per_client: usize,
    // What is there does not go with the settings.
    counts: Arc<Counts>,
    client_rate: Option<Arc<KeyedBuckets>>,
    network_rate: Option<Arc<KeyedBuckets>>,
}

#[derive(Debug, Default)]
struct Counts {
    // An entry for each that has something: no more than connections and requests there are.
    clients: Mutex<HashMap<IpAddr, Has>>,
    networks: Mutex<HashMap<IpAddr, Has>>,
    refused: AtomicU64,
    closed: AtomicU64,
}

/// How many of each, in the order of [`What`].
type Has = [usize; 3];

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Connections,
    /// Requests whose body is not there yet.
    Uploads,
    /// Requests at the application.
    Requests,
}

/// A place in the crowd, until it is dropped.
#[derive(Debug)]
pub(crate) struct CrowdPermit {
    counts: Arc<Counts>,
    client: IpAddr,
    network: Option<IpAddr>,
    what: What,
}

// === impl Crowd ===

impl Crowd {
    /// With what there was before these settings.
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

    /// Connections that were closed as soon as they came.
    pub(crate) fn refused(&self) -> u64 {
        self.counts.refused.load(Ordering::Relaxed)
    }

    /// Connections that waited for a request, and were closed to make room.
    pub(crate) fn closed(&self) -> u64 {
        self.counts.closed.load(Ordering::Relaxed)
    }

    /// So many were.
    pub(crate) fn count_closed(&self, count: usize) {
        self.counts.closed.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// One more of this client; none: it has as many as it may, or its network has.
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

    /// One more request of this client that comes, or goes to the application: whichever is counted. An error says when
    /// there may be one.
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

/// Of IPv6 a customer has a whole /64 (RFC 6177), and so as many addresses as it likes.
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
