//! [`Upstream::take_over`]: passes on endpoints to the successor of an upstream.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::balance::Balancer;
use crate::endpoint::Endpoint;
use crate::placed::Placed;
use crate::upstream::Upstream;

impl Upstream {
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
}

#[cfg(test)]
mod tests;
