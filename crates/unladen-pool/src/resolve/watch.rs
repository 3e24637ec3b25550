//! The principal type is [`Watcher`]: keeps asking where an upstream's origins are.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::task::{Id, JoinSet};
use tokio::time::Instant;

use super::error::ResolveError;
use super::pair::pair;
use super::status::ResolveStatus;
use super::{Answer, Resolver};
use crate::backoff;
use crate::endpoint::{Address, Endpoint};
use crate::settings::{EndpointAddress, Origin, ResolveSettings};

/// An answer is asked for again when its life is over, up to this share of it later, so that many names do not all come
/// at once. Not earlier: the DNS server would answer with what is left of that life.
const JITTER: f64 = 0.1;
/// After a failure, asking again begins with this wait (jittered, doubled each time), up to the settings' longest life.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// Nor is any wait for a retry shorter than this.
const MIN_RETRY: Duration = Duration::from_millis(100);

/// Keeps asking where an upstream's origins are.
///
/// What is known stays when asking fails, for as long as it fails: an address that no longer works is what health
/// checks, outlier ejection and the breaker are for.
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
    /// What to ask for; none for what is an address already.
    name: Option<(String, u16)>,
    origin: usize,
    weight: u32,
    /// When to ask; none while it is being asked for.
    due: Option<Instant>,
    /// The task that has asked for it last.
    lookup: Option<Id>,
    /// In a row.
    failures: u32,
    addresses: Vec<SocketAddr>,
    endpoints: Vec<Arc<Endpoint>>,
}

impl Watcher {
    /// Of these origins. Nothing is asked yet. Endpoints that are `known` already and still right are taken over.
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

    /// How asking goes.
    pub fn status(&self) -> Arc<ResolveStatus> {
        self.status.clone()
    }

    /// Waits until something changed, and gives all endpoints there are then: never none. At first that is as soon as
    /// any is known; addresses and Unix sockets are known at once. Endpoints that stay are the same ones as before,
    /// with all that is known of them.
    ///
    /// Nothing is lost if it is dropped before it ends. If no origin has a name, it ends once and never again.
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
                    // A lookup that is lost with its task has failed as others do: nobody else asks for its name.
                    Err(lost) => self.learn(lost.id(), Err(lost.to_string())),
                },
                () = until_due => {}
            }
        }
    }

    /// Asks for what is due.
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
                let most = backoff::bound(source.failures, FIRST_RETRY, self.settings.max_ttl.max(MIN_RETRY));
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
            // What was known of a name, until it is asked for.
            None => known.iter().filter(|known| known.origin == index).cloned().collect(),
        };
        source.addresses = source.endpoints.iter().flat_map(|endpoint| endpoint.address.of_tcp()).copied().collect();
        source.addresses.sort_unstable();
        source
    }

    /// The one that is known of this address, or a new one.
    fn endpoint(&self, address: Address, known: &[Arc<Endpoint>]) -> Arc<Endpoint> {
        let mut ours = known
            .iter()
            .filter(|known| known.origin == self.origin && known.weight.load(Ordering::Relaxed) == self.weight);
        match ours.find(|known| known.address == address) {
            Some(known) => known.clone(),
            None => Arc::new(Endpoint::new(address, self.origin, self.weight)),
        }
    }

    /// Whether it changed.
    fn set(&mut self, answer: Answer) -> bool {
        let mut addresses = answer.addresses;
        if answer.partial {
            // Of the family that could not be learnt, what was known before.
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

#[cfg(test)]
mod tests;
