//! The principal type is [`SrvNames`]: the endpoints of a service from DNS SRV records (RFC 2782).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::discover::error::DiscoverError;
use crate::discover::found::{Found, MOST};
use crate::endpoint::Address;
use crate::resolve::{ResolveError, Resolver, SrvAnswer, SrvRecord, pair};
use crate::retry;
use crate::settings::ResolveSettings;

const AT_A_TIME: usize = 16;
/// As in name lookups: later by this share at most, so that many do not come at once.
const JITTER: f64 = 0.1;
/// First pause after a failure (jittered, doubled each time), up to the settings' maximum lifetime.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// Minimum pause before a retry.
const MIN_RETRY: Duration = Duration::from_millis(100);
const AGAIN: Duration = Duration::from_secs(5);
/// An endpoint's share is its DNS weight times this: a target's weight is divided among its addresses, and one of
/// weight 0 gets next to nothing beside others.
const SCALE: u32 = 100;

#[derive(Debug)]
pub(super) struct SrvNames {
    name: String,
    resolver: Arc<Resolver>,
    settings: ResolveSettings,
    due: Instant,
    failures: u32,
    targets: HashMap<String, Vec<IpAddr>>,
    /// How each target's addresses were grouped, so that the same ones stay so.
    pairs: HashMap<(String, u16), Vec<Vec<SocketAddr>>>,
}

impl SrvNames {
    pub(super) fn new(name: String, resolver: Arc<Resolver>, settings: ResolveSettings) -> Self {
        let (due, failures) = (Instant::now(), 0);
        Self { name, resolver, settings, due, failures, targets: HashMap::new(), pairs: HashMap::new() }
    }

    /// The endpoints from DNS: the first time at once, then whenever the answer expires.
    pub(super) async fn next(&mut self) -> Result<Vec<Found>, DiscoverError> {
        tokio::time::sleep_until(self.due).await;
        let asked = self.ask().await;
        match &asked {
            Ok((_, ttl)) => {
                self.failures = 0;
                self.due = Instant::now() + ttl.mul_f64(1.0 + JITTER * fastrand::f64());
            }
            Err(_) => {
                self.failures = self.failures.saturating_add(1);
                let most = retry::bound(self.failures, FIRST_RETRY, self.settings.max_ttl.max(MIN_RETRY));
                self.due = Instant::now() + most.mul_f64(fastrand::f64()).max(MIN_RETRY);
            }
        }
        Ok(asked?.0)
    }

    async fn ask(&mut self) -> Result<(Vec<Found>, Duration), DiscoverError> {
        let answer = self.resolver.lookup_srv(&self.name, &self.settings).await?;
        let (least, most) = (self.settings.min_ttl, self.settings.max_ttl);
        let bound = |ttl: Duration| ttl.max(least).min(most);
        if answer.records.iter().all(|record| record.target == ".") {
            // The service certainly does not exist.
            self.targets.clear();
            return Ok((Vec::new(), bound(answer.ttl)));
        }
        if answer.records.len() > MOST {
            let (name, count) = (self.name.clone(), answer.records.len());
            return Err(DiscoverError::TooMany { what: format!("the SRV records of `{name}`"), count });
        }
        let ttl = self.find_targets(&answer).await?;
        let ttl = bound(ttl.min(answer.ttl));
        let found = self.found(&answer.records);
        if found.len() > MOST {
            let what = format!("the addresses of `{}`", self.name);
            return Err(DiscoverError::TooMany { what, count: found.len() });
        }
        Ok((found, ttl))
    }

    /// Resolves each target, from the records' own answer or as a host. Where that fails, known addresses stay. Returns
    /// the lifetime.
    async fn find_targets(&mut self, answer: &SrvAnswer) -> Result<Duration, DiscoverError> {
        let mut shortest = self.settings.max_ttl;
        let mut found: HashMap<String, Vec<IpAddr>> = HashMap::new();
        let mut to_ask: HashSet<&str> =
            answer.records.iter().map(|record| record.target.as_str()).filter(|target| *target != ".").collect();
        for (target, (addresses, ttl)) in &answer.glue {
            if to_ask.remove(target.as_str()) {
                shortest = shortest.min(*ttl);
                found.insert(target.clone(), addresses.clone());
            }
        }
        let mut to_ask = to_ask.into_iter().map(str::to_owned);
        let mut asking: JoinSet<(String, Result<crate::resolve::Answer, ResolveError>)> = JoinSet::new();
        let mut failure = None;
        loop {
            while asking.len() < AT_A_TIME
                && let Some(target) = to_ask.next()
            {
                let (resolver, settings) = (self.resolver.clone(), self.settings.clone());
                asking.spawn(async move {
                    let answer = resolver.lookup(&target, 0, &settings).await;
                    (target, answer)
                });
            }
            let Some(asked) = asking.join_next().await else { break };
            // A lookup lost with its task is repeated with the others.
            let Ok((target, answer)) = asked else { continue };
            match answer {
                Ok(answer) => {
                    let mut addresses: Vec<IpAddr> = answer.addresses.iter().map(SocketAddr::ip).collect();
                    if answer.partial
                        && let Some(known) = self.targets.get(&target)
                    {
                        // If one family's lookup failed, its known addresses stay.
                        let missing =
                            |one: &&IpAddr| !addresses.iter().any(|address| address.is_ipv6() == one.is_ipv6());
                        let kept: Vec<_> = known.iter().filter(missing).copied().collect();
                        addresses.extend(kept);
                    }
                    shortest = shortest.min(answer.ttl);
                    found.insert(target, addresses);
                }
                Err(error) => {
                    shortest = shortest.min(AGAIN);
                    if let Some(known) = self.targets.get(&target) {
                        found.insert(target, known.clone());
                    }
                    failure = Some(error);
                }
            }
        }
        match failure {
            Some(error) if found.is_empty() => Err(error.into()),
            _ => {
                self.targets = found;
                Ok(shortest)
            }
        }
    }

    fn found(&mut self, records: &[SrvRecord]) -> Vec<Found> {
        let before = std::mem::take(&mut self.pairs);
        // An address that appears twice, as for two names of one host, becomes one endpoint with both weights and the
        // better priority.
        let mut all: BTreeMap<Vec<SocketAddr>, (u32, u32)> = BTreeMap::new();
        for record in records.iter().filter(|record| record.target != "." && record.port > 0) {
            let Some(addresses) = self.targets.get(&record.target) else { continue };
            let addresses: Vec<_> = addresses.iter().map(|address| SocketAddr::new(*address, record.port)).collect();
            let key = (record.target.clone(), record.port);
            let known = before.get(&key).map(Vec::as_slice).unwrap_or_default();
            let pairs = pair(&addresses, known);
            for one in &pairs {
                let weight = share(record.weight, pairs.len());
                let priority = u32::from(record.priority);
                let entry = all.entry(one.clone()).or_insert((priority, 0));
                match priority.cmp(&entry.0) {
                    std::cmp::Ordering::Less => *entry = (priority, weight),
                    std::cmp::Ordering::Equal => entry.1 = entry.1.saturating_add(weight),
                    std::cmp::Ordering::Greater => {}
                }
            }
            self.pairs.insert(key, pairs);
        }
        let of = |(addresses, (priority, weight))| Found { weight, priority, ..Found::new(Address::Tcp(addresses)) };
        all.into_iter().map(of).collect()
    }
}

fn share(weight: u16, among: usize) -> u32 {
    let among = u32::try_from(among).unwrap_or(u32::MAX).max(1);
    (u32::from(weight) * SCALE / among).max(1)
}

#[cfg(test)]
mod tests;
