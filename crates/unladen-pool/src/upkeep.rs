//! Background work of an upstream: upkeep of idle connections, name lookups, health checks.

use std::os::unix::fs::FileTypeExt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio_util::task::AbortOnDropHandle;

use crate::balance::Balancer;
use crate::discover::Discoverer;
use crate::endpoint::{Address, Endpoint, Placed};
use crate::health::{Check, Unhealthy};
use crate::resolve::{Resolver, Watcher};
use crate::upstream::Upstream;

const SWEEP: Duration = Duration::from_millis(500);
/// Minimum interval of these looks.
const SHORTEST: Duration = Duration::from_millis(10);
/// After this many looks without connections it waits for a notification.
const QUIET: u32 = 8;

impl Upstream {
    /// Maintains a thread's idle connections, as long as it is polled.
    pub async fn look_after(self: &Arc<Self>, thread: usize) {
        let mut ticks = tokio::time::interval(SWEEP);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // Where connections are idle for a short time only, more often while there are any.
        let short = Some(self.settings.pool.idle / 2).filter(|short| *short < SWEEP);
        let mut quiet = 0;
        loop {
            match short {
                Some(short) if quiet < QUIET => tokio::time::sleep(short.max(SHORTEST)).await,
                Some(_) => {
                    self.idle_connections(thread).dozes = true;
                    tokio::select! {
                        () = self.roused[thread % self.roused.len()].notified() => quiet = 0,
                        _ = ticks.tick() => (),
                    }
                }
                None => drop(ticks.tick().await),
            }
            quiet = if self.idle_connections(thread).idle() > 0 { 0 } else { (quiet + 1).min(QUIET) };
            let known = self.endpoints();
            self.idle_connections(thread).sweep(
                &self.settings.pool,
                Instant::now(),
                |endpoint| known.endpoints().iter().any(|other| Arc::ptr_eq(other, endpoint)),
                |why| self.count_closed(why),
            );
            if thread == 0 {
                self.warm_up(thread).await;
            }
        }
    }

    /// Follows names or discovery and runs health checks, as long as it is polled. Reports each health failure, and
    /// when discovery fails or recovers. On any runtime, once.
    pub async fn follow(
        self: &Arc<Self>,
        resolver: Arc<Resolver>,
        unwell: impl Fn(&Endpoint, &Unhealthy) + Clone + Send + 'static,
        told: impl Fn(&str),
    ) {
        let settings = &self.settings;
        let mut checks: Vec<(Arc<Endpoint>, AbortOnDropHandle<()>)> = Vec::new();
        if let Some(discovery) = self.discovery() {
            let mut discoverer =
                Discoverer::new(discovery, resolver, settings.resolve.clone(), self.endpoints().placed());
            let _ = self.names.set(discoverer.status());
            loop {
                let placed = discoverer.changed(&told).await;
                self.use_endpoints(
                    Balancer::of_placed(placed, discovery.zone.as_deref(), settings.balance),
                    &mut checks,
                    &unwell,
                );
            }
        }
        let known = self.endpoints();
        let mut watcher = Watcher::new(resolver, &settings.origins, settings.resolve.clone(), known.endpoints());
        let _ = self.names.set(watcher.status());
        drop(known);
        loop {
            let endpoints = watcher.changed().await;
            self.use_endpoints(Balancer::new(endpoints, settings.balance), &mut checks, &unwell);
        }
    }

    fn use_endpoints(
        &self,
        endpoints: Balancer,
        checks: &mut Vec<(Arc<Endpoint>, AbortOnDropHandle<()>)>,
        unwell: &(impl Fn(&Endpoint, &Unhealthy) + Clone + Send + 'static),
    ) {
        let all = endpoints.endpoints();
        checks.retain(|(endpoint, _)| all.iter().any(|other| Arc::ptr_eq(endpoint, other)));
        for endpoint in all {
            if let Some(check) = self.check(endpoint)
                && !checks.iter().any(|(checked, _)| Arc::ptr_eq(checked, endpoint))
            {
                let task = tokio::spawn(check.run(endpoint.clone(), |_, _| (), unwell.clone()));
                checks.push((endpoint.clone(), AbortOnDropHandle::new(task)));
            }
        }
        self.endpoints.store(Arc::new(endpoints));
        self.changed.notify_waiters();
    }

    fn check(&self, endpoint: &Endpoint) -> Option<Check> {
        let settings = self.settings.health.clone()?;
        let origin = self.settings.origins.get(endpoint.origin)?;
        let connector = if origin.tls { self.connector.clone() } else { None };
        Some(Check { settings, connector, http: self.settings.http, authority: origin.authority.clone() })
    }

    async fn warm_up(&self, thread: usize) {
        for _ in self.slots.taken()..self.settings.pool.warm {
            let Some(endpoint) = self.pick(&[]) else { return };
            if self.may_be_h2() && self.idle_connections(thread).has_shared(&endpoint) {
                return;
            }
            if self.warm(thread, &endpoint).await.is_err() {
                return;
            }
        }
    }

    /// Starts with the endpoints of the predecessor, if both learn them in the same way: their source may be silent
    /// just then. Nothing else is taken over, and nothing once this has its own.
    pub fn take_over(&self, before: &Self) {
        let (ours, theirs) = (&self.settings().origins, &before.settings().origins);
        let is_same = match (self.discovery(), before.discovery()) {
            (Some(discovery), Some(before)) => discovery.from == before.from,
            (None, None) => ours == theirs,
            _ => false,
        };
        let own = self.endpoints();
        if !is_same || own.is_known() || !own.endpoints().is_empty() {
            return;
        }
        let how = self.settings().balance;
        let known = before.endpoints();
        let anew = |endpoint: &Arc<Endpoint>| {
            let weight = endpoint.weight.load(Ordering::Relaxed);
            Arc::new(Endpoint::new(endpoint.address.clone(), endpoint.origin, weight))
        };
        let balancer = match self.discovery() {
            Some(discovery) if known.is_known() => {
                let placed = known.placed().iter().map(|one| Placed { endpoint: anew(&one.endpoint), ..one.clone() });
                Balancer::of_placed(placed.collect(), discovery.zone.as_deref(), how)
            }
            None if !known.endpoints().is_empty() => Balancer::new(known.endpoints().iter().map(anew).collect(), how),
            _ => return,
        };
        self.endpoints.store(Arc::new(balancer));
        self.changed.notify_waiters();
    }

    /// Counts usable endpoints. Failures of requests (the breaker, ejected endpoints) do not count: they are over in a
    /// moment, and come from the requests themselves.
    pub fn usable(&self) -> Usable {
        let balancer = self.endpoints();
        let endpoints = balancer.endpoints();
        Usable { usable: endpoints.iter().filter(|endpoint| can_be_used(endpoint)).count(), all: endpoints.len() }
    }
}

/// How many of an upstream's endpoints can take requests, as far as known without probing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usable {
    pub usable: usize,
    /// All that may get requests, without drained ones.
    pub all: usize,
}

fn can_be_used(endpoint: &Endpoint) -> bool {
    let is_there = match &endpoint.address {
        Address::Tcp(_) => true,
        Address::Unix(path) => std::fs::metadata(path).is_ok_and(|file| file.file_type().is_socket()),
    };
    is_there && endpoint.healthy.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests;
