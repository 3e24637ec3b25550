//! [`look_up`], [`try_origin`], [`try_endpoint`]: finds endpoints, and connects to them as a request would.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, spawn_local};
use tokio::time::timeout;
use unladen_observability::{Cause, reason_of};
use unladen_pool::{Address, Endpoint, EndpointAddress, Placed, ResolveError, Resolver, Upstream, UpstreamSettings};

use super::outcome::{Failed, Trial};
use crate::control::error::ServeError;

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
        Ok(Ok(endpoints)) if endpoints.is_empty() => Err("what tells its endpoints says that there is none".to_owned()),
        Ok(Ok(endpoints)) => Ok(endpoints),
        Ok(Err(ResolveError::Untold { why })) => Err(format!("its endpoints are not told: {why}")),
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
                (true, true) => "HTTP/2 by TLS",
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
