//! [`try_origin`], [`try_endpoint`]: connects to endpoints as a request would be sent there.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, spawn_local};
use tokio::time::timeout;
use unladen_observability::{Cause, reason_of};
use unladen_pool::{Address, Endpoint, EndpointAddress, ResolveError, Resolver, Upstream, UpstreamSettings};

use super::outcome::{Failed, Trial};
use crate::control::error::ServeError;

/// However long the configuration allows: whoever checks one waits for the answer.
pub(super) const LONGEST: Duration = Duration::from_secs(30);

/// Neither the breaker nor a share of the connections decides whether it is tried.
pub(super) fn one_try(settings: &UpstreamSettings) -> Result<Arc<Upstream>, ServeError> {
    let name = settings.name.clone();
    Upstream::new(settings.clone(), 1).map_err(|source| ServeError::Upstream { name, source: Box::new(source) })
}

/// Looks up where an origin is, and connects to all its endpoints.
pub(super) async fn try_origin(
    table: &'static str,
    upstream: Arc<Upstream>,
    origin: usize,
    resolver: Arc<Resolver>,
) -> Vec<Trial> {
    let blank = || Trial::of(table, &upstream.settings().name, "upstream", url(&upstream, origin));
    let failed = |reason, cause| blank().failed(reason, cause);
    let endpoints = match timeout(LONGEST, upstream.look_up(origin, &resolver)).await {
        Ok(Ok(endpoints)) => endpoints,
        Ok(Err(ResolveError::Untold { why })) => {
            return vec![failed("no_endpoint", format!("its endpoints are not told: {why}"))];
        }
        Ok(Err(error)) => return vec![failed("no_endpoint", format!("its name has no address: {error}"))],
        Err(_) => return vec![failed("no_endpoint", format!("its name has no address within {LONGEST:?}"))],
    };
    if endpoints.is_empty() {
        return vec![failed("no_endpoint", "what tells its endpoints says that there is none".to_owned())];
    }
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

/// Connects to one.
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

/// Where one of its origins is.
pub(super) fn url(upstream: &Upstream, origin: usize) -> String {
    let Some(origin) = upstream.settings().origins.get(origin) else { return String::new() };
    match &origin.at {
        EndpointAddress::Unix(path) => format!("unix:{}", path.display()),
        EndpointAddress::Tcp(..) => format!("{}://{}", if origin.tls { "https" } else { "http" }, origin.authority),
    }
}
