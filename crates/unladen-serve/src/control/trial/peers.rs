//! The principal type is [`TriedTier`]: connects to the nodes of a tier.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::task::{JoinHandle, spawn_local};
use unladen_pool::{Placed, Resolver, Upstream};
use unladen_serve_config::TierSettings;

use super::endpoints::{look_up, one_try, try_endpoint, url};
use super::outcome::Trial;
use crate::control::error::ServeError;
use crate::tier::peers::Peers;

const IGNORED: &str = "nodes of a tier are alike: their weights, zones and priorities are not looked at";

pub(super) struct TriedTier {
    upstream: Arc<Upstream>,
    peers: Peers,
}

impl TriedTier {
    pub(super) fn new(settings: &TierSettings, ports: Vec<u16>) -> Result<Self, ServeError> {
        Ok(Self { upstream: one_try(&settings.upstream)?, peers: Peers::new(settings.node, ports) })
    }

    /// Connects to all nodes but this one, which need not serve yet.
    pub(super) async fn run(self, resolver: Arc<Resolver>) -> Vec<Trial> {
        let Self { upstream, peers } = self;
        let (mut trials, mut found) = (Vec::new(), Vec::new());
        let look_ups: Vec<_> = (0..upstream.settings().origins.len())
            .map(|origin| {
                let (upstream, resolver) = (upstream.clone(), resolver.clone());
                (origin, spawn_local(async move { look_up(&upstream, origin, &resolver).await }))
            })
            .collect();
        for (origin, task) in look_ups {
            match task.await.unwrap_or_else(|_| Err("the look-up ended early".to_owned())) {
                Ok(placed) => found.extend(placed.into_iter().map(|one| (origin, one))),
                Err(cause) => trials.push(trial(url(&upstream, origin)).failed("no_endpoint", cause)),
            }
        }
        let all: Vec<Placed> = found.iter().map(|(_, placed)| placed.clone()).collect();
        found.retain(|(_, placed)| !peers.is_self(&placed.endpoint));
        // A node that was not found may be this one.
        if trials.is_empty() {
            trials.push(this_node(all.len() - found.len(), &all));
        }
        let tries: Vec<JoinHandle<Trial>> = found
            .into_iter()
            .map(|(origin, placed)| {
                let (trial, upstream) = (trial(url(&upstream, origin)), upstream.clone());
                spawn_local(async move { try_endpoint(trial, &upstream, &placed.endpoint).await })
            })
            .collect();
        for task in tries {
            trials.extend(task.await);
        }
        trials
    }
}

fn trial(place: String) -> Trial {
    Trial::of("tier", "tier", "peer", place)
}

fn this_node(own: usize, all: &[Placed]) -> Trial {
    let trial = trial("this node".to_owned());
    let doubt = is_uneven(all).then(|| IGNORED.to_owned());
    match own {
        1 => Trial { spoken: Some("one of the peers"), doubt, ..trial },
        0 => {
            let alone = "it asks the others, and none asks it: list its address, or set `node` to the address by which \
                         the others know it";
            let doubt = doubt.map_or_else(|| alone.to_owned(), |doubt| format!("{alone}; {doubt}"));
            Trial { spoken: Some("none of the peers"), doubt: Some(doubt), ..trial }
        }
        several => {
            let cause =
                format!("{several} of the peers seem to be this node, which asks none of them: set `node` to its own");
            trial.failed("no_endpoint", cause)
        }
    }
}

/// Whether the settings would give some nodes more than others.
fn is_uneven(all: &[Placed]) -> bool {
    let what = |placed: &Placed| (placed.endpoint.weight.load(Ordering::Relaxed), placed.priority, placed.zone.clone());
    all.windows(2).any(|two| what(&two[0]) != what(&two[1]))
}

#[cfg(test)]
mod tests;
