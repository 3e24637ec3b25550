//! [`look_up`], [`try_origin`], [`try_endpoint`]: finds endpoints, and connects to them as a request would.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::timeout;
use unladen_observability::{Cause, reason_of};
use unladen_pool::{Address, Endpoint, EndpointAddress, Placed, ResolveError, Resolver, Upstream, UpstreamSettings};
use unladen_serve_config::TierSettings;

use crate::control::error::ServeError;
use crate::tier::peers::Peers;

/// Something that serving needs, and the result of connecting to it.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    /// `site`, `outbound`, `fleet` or `tier`.
    pub table: &'static str,
    pub name: String,
    /// `upstream` (for a site, its application), `validator`, `channel` (which tells a validator of changes), `shared
    /// answers`, `authority` (of certificates), `bus`, `peer` or `rate limit service`.
    pub what: &'static str,
    /// Pages of a validator.
    pub path: Option<String>,
    /// URL without a password.
    pub place: String,
    pub address: Option<String>,
    /// Protocol spoken there, if known.
    pub spoken: Option<&'static str>,
    /// A problem that does not keep it from working.
    pub doubt: Option<String>,
    pub failed: Option<Failed>,
}

/// Why something cannot be connected to.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    /// Reason code, as in logs.
    pub reason: &'static str,
    pub cause: String,
}

impl Trial {
    pub(super) fn of(table: &'static str, name: &str, what: &'static str, place: String) -> Self {
        let name = name.to_owned();
        Self { table, name, what, path: None, place, address: None, spoken: None, doubt: None, failed: None }
    }

    pub(super) fn failed(self, reason: &'static str, cause: String) -> Self {
        Self { failed: Some(Failed { reason, cause }), ..self }
    }
}

/// Bound on a trial, whatever the configuration allows: somebody waits for the check.
pub(super) const LONGEST: Duration = Duration::from_secs(30);

/// An upstream whose breaker and connection shares do not decide whether it is tried.
pub(super) fn one_try(settings: &UpstreamSettings) -> Result<Arc<Upstream>, ServeError> {
    let name = settings.name.clone();
    Upstream::new(settings.clone(), 1).map_err(|source| ServeError::Upstream { name, source: Box::new(source) })
}

/// Endpoints of an origin, at least one; else why there are none.
pub(super) async fn look_up(
    upstream: &Upstream,
    origin: usize,
    resolver: &Arc<Resolver>,
) -> Result<Vec<Placed>, String> {
    match timeout(LONGEST, upstream.look_up(origin, resolver)).await {
        Ok(Ok(endpoints)) if endpoints.is_empty() => Err("discovery reports no endpoints".to_owned()),
        Ok(Ok(endpoints)) => Ok(endpoints),
        Ok(Err(ResolveError::Untold { why })) => Err(format!("discovery fails: {why}")),
        Ok(Err(error)) => Err(format!("its name has no address: {error}")),
        Err(_) => Err(format!("its name has no address within {LONGEST:?}")),
    }
}

pub(super) async fn try_origin(
    table: &'static str,
    upstream: Arc<Upstream>,
    origin: usize,
    resolver: Arc<Resolver>,
) -> Vec<Trial> {
    let blank = || Trial::of(table, &upstream.settings().name, "upstream", url(&upstream, origin));
    let endpoints = match look_up(&upstream, origin, &resolver).await {
        Ok(endpoints) => endpoints,
        Err(cause) => return vec![blank().failed("no_endpoint", cause)],
    };
    let tries: Vec<JoinHandle<Trial>> = endpoints
        .into_iter()
        .map(|endpoint| {
            let (trial, upstream) = (blank(), upstream.clone());
            spawn_local(async move { try_endpoint(trial, &upstream, &endpoint.endpoint).await })
        })
        .collect();
    let mut trials = Vec::new();
    for task in tries {
        trials.extend(task.await);
    }
    trials
}

pub(super) async fn try_endpoint(mut trial: Trial, upstream: &Upstream, endpoint: &Arc<Endpoint>) -> Trial {
    trial.address = match &endpoint.address {
        Address::Tcp(_) => Some(endpoint.address.to_string()),
        Address::Unix(_) => None,
    };
    match timeout(LONGEST, upstream.attempt(endpoint)).await {
        Ok(Ok(spoken)) => {
            trial.spoken = Some(match (spoken.tls, spoken.h2) {
                (true, true) => "HTTP/2 over TLS",
                (true, false) => "TLS",
                (false, true) => "HTTP/2",
                (false, false) => "TCP",
            });
            if matches!(endpoint.address, Address::Unix(_)) && trial.spoken == Some("TCP") {
                trial.spoken = Some("Unix socket");
            }
        }
        Ok(Err(error)) => {
            let reason = reason_of(&error);
            let cause = Cause::of_lease(&error, reason, endpoint).text;
            trial.failed = Some(Failed { reason: reason.as_str(), cause });
        }
        Err(_) => {
            trial.failed =
                Some(Failed { reason: "connect_timeout", cause: format!("no connection within {LONGEST:?}") });
        }
    }
    trial
}

pub(super) fn url(upstream: &Upstream, origin: usize) -> String {
    let Some(origin) = upstream.settings().origins.get(origin) else { return String::new() };
    match &origin.at {
        EndpointAddress::Unix(path) => format!("unix:{}", path.display()),
        EndpointAddress::Tcp(..) => format!("{}://{}", if origin.tls { "https" } else { "http" }, origin.authority),
    }
}

const IGNORED: &str = "nodes of a tier are equal: their weights, zones and priorities are ignored";

/// Connects to the nodes of a tier.
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
            let alone = "it asks the others, but none asks it: list its address, or set `node` to the address by \
                         which the others know it";
            let doubt = doubt.map_or_else(|| alone.to_owned(), |doubt| format!("{alone}; {doubt}"));
            Trial { spoken: Some("none of the peers"), doubt: Some(doubt), ..trial }
        }
        several => {
            let cause = format!(
                "{several} of the peers seem to be this node, which asks none of them: set `node` to its own \
                    address"
            );
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
