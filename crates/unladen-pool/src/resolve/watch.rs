//! The principal type is [`Watcher`]: repeats the lookups of an upstream's origins.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::{Id, JoinSet};
use tokio::time::Instant;

use crate::endpoint::{Address, Endpoint};
use crate::resolve::dns::ResolveError;
use crate::resolve::{Answer, Resolver};
use crate::retry;
use crate::settings::{EndpointAddress, Origin, ResolveSettings};

/// Lookups are repeated up to this share of an answer's lifetime after its end, so that many names do not all come at
/// once. Not before the end: the DNS server would answer with the rest of that lifetime.
const JITTER: f64 = 0.1;
/// First pause after a failure (jittered, doubled each time), up to the settings' maximum lifetime.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// Minimum pause before a retry.
const MIN_RETRY: Duration = Duration::from_millis(100);

/// Repeats the lookups of an upstream's origins.
///
/// Known addresses stay while lookups fail: an address that no longer works is left to health checks, outlier ejection
/// and the breaker.
#[derive(Debug)]
pub struct Watcher {
    resolver: Arc<Resolver>,
    settings: ResolveSettings,
    sources: Vec<WatchedName>,
    asking: JoinSet<Result<Answer, ResolveError>>,
    status: Arc<ResolveStatus>,
    changed: bool,
}

#[derive(Debug)]
struct WatchedName {
    /// Name to look up; `None` for an address.
    name: Option<(String, u16)>,
    origin: usize,
    weight: u32,
    /// Time of the next lookup; `None` during one.
    due: Option<Instant>,
    lookup: Option<Id>,
    failures: u32,
    addresses: Vec<SocketAddr>,
    endpoints: Vec<Arc<Endpoint>>,
}

impl Watcher {
    /// Watches these origins, without a first lookup. `known` endpoints that are still right are taken over.
    pub fn new(
        resolver: Arc<Resolver>,
        origins: &[Origin],
        settings: ResolveSettings,
        known: &[Arc<Endpoint>],
    ) -> Self {
        let sources: Vec<_> =
            origins.iter().enumerate().map(|(index, origin)| WatchedName::new(index, origin, known)).collect();
        let changed = sources.iter().any(|source| !source.endpoints.is_empty());
        Self { resolver, settings, sources, asking: JoinSet::new(), status: Arc::default(), changed }
    }

    /// State of the lookups.
    pub fn status(&self) -> Arc<ResolveStatus> {
        self.status.clone()
    }

    /// Waits for a change, and returns all endpoints: never none. The first time it returns as soon as any is known;
    /// addresses and Unix sockets are known at once. Endpoints that stay keep their identity and state.
    ///
    /// Cancel-safe. If no origin has a name, it returns once and never again.
    pub async fn changed(&mut self) -> Vec<Arc<Endpoint>> {
        loop {
            self.ask();
            if std::mem::take(&mut self.changed) {
                let all: Vec<_> = self.sources.iter().flat_map(|source| source.endpoints.iter().cloned()).collect();
                if !all.is_empty() {
                    return all;
                }
            }
            let due = self.sources.iter().filter_map(|source| source.due).min();
            let until_due = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                Some(asked) = self.asking.join_next_with_id() => match asked {
                    Ok((lookup, answer)) => self.learn(lookup, answer.map_err(|error| error.to_string())),
                    // A lookup lost with its task counts as failed: nobody else looks up its name.
                    Err(lost) => self.learn(lost.id(), Err(lost.to_string())),
                },
                () = until_due => {}
            }
        }
    }

    fn ask(&mut self) {
        let now = Instant::now();
        for source in &mut self.sources {
            let Some((host, port)) = &source.name else { continue };
            if source.due.is_some_and(|due| due <= now) {
                source.due = None;
                let (resolver, settings) = (self.resolver.clone(), self.settings.clone());
                let (host, port) = (host.clone(), *port);
                let lookup = self.asking.spawn(async move { resolver.lookup(&host, port, &settings).await });
                source.lookup = Some(lookup.id());
            }
        }
    }

    fn learn(&mut self, lookup: Id, answer: Result<Answer, String>) {
        let Some(source) = self.sources.iter_mut().find(|source| source.lookup == Some(lookup)) else { return };
        let now = Instant::now();
        self.status.looked_up(answer.is_ok());
        match answer {
            Ok(answer) => {
                let jitter = 1.0 + JITTER * fastrand::f64();
                source.due = Some(now + answer.ttl.mul_f64(jitter));
                source.failures = 0;
                self.status.succeeded();
                self.changed |= source.set(answer);
            }
            Err(error) => {
                source.failures = source.failures.saturating_add(1);
                let most = retry::bound(source.failures, FIRST_RETRY, self.settings.max_ttl.max(MIN_RETRY));
                source.due = Some(now + most.mul_f64(fastrand::f64()).max(MIN_RETRY));
                self.status.failed(error);
            }
        }
    }
}

impl WatchedName {
    fn new(index: usize, origin: &Origin, known: &[Arc<Endpoint>]) -> Self {
        let (name, address) = match &origin.at {
            EndpointAddress::Unix(path) => (None, Some(Address::Unix(path.clone()))),
            EndpointAddress::Tcp(host, port) => match host.parse() {
                Ok(address) => (None, Some(Address::Tcp(vec![SocketAddr::new(address, *port)]))),
                Err(_) => (Some((host.clone(), *port)), None),
            },
        };
        let mut source = Self {
            due: name.is_some().then(Instant::now),
            lookup: None,
            name,
            origin: index,
            weight: origin.weight,
            failures: 0,
            addresses: Vec::new(),
            endpoints: Vec::new(),
        };
        source.endpoints = match address {
            Some(address) => vec![source.endpoint(address, known)],
            // Known addresses of a name, until it is looked up.
            None => known.iter().filter(|known| known.origin == index).cloned().collect(),
        };
        source.addresses = source.endpoints.iter().flat_map(|endpoint| endpoint.address.of_tcp()).copied().collect();
        source.addresses.sort_unstable();
        source
    }

    fn endpoint(&self, address: Address, known: &[Arc<Endpoint>]) -> Arc<Endpoint> {
        let mut ours = known
            .iter()
            .filter(|known| known.origin == self.origin && known.weight.load(Ordering::Relaxed) == self.weight);
        match ours.find(|known| known.address == address) {
            Some(known) => known.clone(),
            None => Arc::new(Endpoint::new(address, self.origin, self.weight)),
        }
    }

    fn set(&mut self, answer: Answer) -> bool {
        let mut addresses = answer.addresses;
        if answer.partial {
            // If one family's lookup failed, its known addresses stay.
            let missing = |known: &&SocketAddr| !addresses.iter().any(|new| new.is_ipv6() == known.is_ipv6());
            let kept: Vec<_> = self.addresses.iter().filter(missing).copied().collect();
            addresses.extend(kept);
        }
        addresses.sort_unstable();
        if addresses == self.addresses {
            return false;
        }
        let pairs: Vec<_> = self
            .endpoints
            .iter()
            .filter_map(|endpoint| match &endpoint.address {
                Address::Tcp(addresses) => Some(addresses.clone()),
                Address::Unix(_) => None,
            })
            .collect();
        self.endpoints = pair(&addresses, &pairs)
            .into_iter()
            .map(|addresses| self.endpoint(Address::Tcp(addresses), &self.endpoints))
            .collect();
        self.addresses = addresses;
        true
    }
}

/// State of an upstream's lookups. Shared with readers.
#[derive(Debug, Default)]
pub struct ResolveStatus {
    lookups: AtomicU64,
    failures: AtomicU64,
    last: Mutex<Last>,
}

#[derive(Debug, Default)]
struct Last {
    error: Option<String>,
    good: Option<std::time::Instant>,
}

impl ResolveStatus {
    /// Completed lookups, failed ones included.
    pub fn lookups(&self) -> u64 {
        self.lookups.load(Ordering::Relaxed)
    }

    /// Failed lookups.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Error of the last lookup, if it failed.
    pub fn error(&self) -> Option<String> {
        self.last().error.clone()
    }

    /// Age of the last good answer, if lookups have failed since; `None` while they succeed, or never have.
    pub fn stale(&self) -> Option<Duration> {
        let last = self.last();
        last.error.as_ref().and(last.good).map(|good| good.elapsed())
    }

    pub(crate) fn looked_up(&self, well: bool) {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        if !well {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn succeeded(&self) {
        *self.last() = Last { error: None, good: Some(std::time::Instant::now()) };
    }

    pub(crate) fn failed(&self, error: String) {
        self.last().error = Some(error);
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Pairs the n-th IPv6 with the n-th IPv4 address, IPv6 first (RFC 8305, section 4); the rest stay alone.
///
/// A name with both families mostly has the same hosts in both, and if one family does not work, each endpoint needs
/// the other. Earlier pairs stay together while both addresses exist, so that one address more or less does not move
/// all others.
pub(crate) fn pair(addresses: &[SocketAddr], before: &[Vec<SocketAddr>]) -> Vec<Vec<SocketAddr>> {
    let mut pairs: Vec<_> = before
        .iter()
        .filter(|pair| pair.len() == 2 && pair.iter().all(|address| addresses.contains(address)))
        .cloned()
        .collect();
    let (mut v6, mut v4): (Vec<_>, Vec<_>) = addresses
        .iter()
        .copied()
        .filter(|address| !pairs.iter().any(|pair| pair.contains(address)))
        .partition(SocketAddr::is_ipv6);
    for family in [&mut v6, &mut v4] {
        family.sort_unstable();
        family.dedup();
    }
    let paired = v6.len().min(v4.len());
    pairs.extend(v6.iter().zip(&v4).map(|(v6, v4)| vec![*v6, *v4]));
    pairs.extend(v6.iter().skip(paired).chain(v4.iter().skip(paired)).map(|alone| vec![*alone]));
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests;
