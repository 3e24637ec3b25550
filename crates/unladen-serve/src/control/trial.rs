//! The principal type is [`Trial`]: something that serving needs, connected to before anything is served, and what came
//! of it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde::Serialize;
use tokio::runtime::{Builder, LocalOptions};
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::timeout;
use unladen_acme::{Authority, try_directory};
use unladen_observability::{Cause, reason_of};
use unladen_pool::{Address, Endpoint, EndpointAddress, ResolveError, Resolver, Upstream, UpstreamSettings};
use unladen_serve_config::Config;
use unladen_validator::{AskError, Validator, ValidatorSettings, ValidatorSource};

use crate::control::error::ServeError;
use crate::site::tls::acme::authority;

/// However long the configuration allows: whoever checks one waits for the answer.
const LONGEST: Duration = Duration::from_secs(30);

/// Something that serving needs and that was connected to, and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    /// Of which table: `site` or `proxy`.
    pub table: &'static str,
    /// Its name.
    pub name: String,
    /// `upstream` (of a site, its application), `validator` or `authority` (of a certificate).
    pub what: &'static str,
    /// Of a validator, the pages that are meant.
    pub path: Option<String>,
    /// Where: a URL, without a password.
    pub place: String,
    /// One address of it, if it has an address.
    pub address: Option<String>,
    /// What is spoken there; null: nothing.
    pub spoken: Option<&'static str>,
    /// The word for why not, and the cause; null: nothing is wrong.
    pub failed: Option<Failed>,
}

/// Why something cannot be connected to.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    /// The word for it, as in logs.
    pub reason: &'static str,
    /// What happened, and what to do.
    pub cause: String,
}

/// Connects to all that serving needs: each place of each upstream, each validator's database, and each authority of
/// certificates. Of an application nothing is asked, of a database only what a validator asks to begin with, and of an
/// authority its directory. All at once; it takes half a minute
/// where nobody answers.
///
/// # Errors
/// What this takes cannot be had, or an upstream cannot be made.
pub fn try_connections(config: &Config) -> Result<Vec<Trial>, ServeError> {
    let start = |source| ServeError::Start { doing: "a runtime to connect with", source };
    let settings = &config.settings;
    let databases = databases(settings.site.iter().flat_map(|site| {
        let name = &site.proxy.upstream.name;
        site.validators.iter().map(move |validator| (name.as_str(), validator))
    }));
    thread::scope(|scope| {
        let asked: Vec<_> = databases.iter().map(|database| scope.spawn(|| ask(database))).collect();
        let mut upstreams = Vec::new();
        for (table, upstream) in settings
            .outbound
            .iter()
            .map(|proxy| ("outbound", &proxy.upstream))
            .chain(settings.site.iter().map(|site| ("site", &site.proxy.upstream)))
            .chain(
                settings
                    .site
                    .iter()
                    .flat_map(|site| &site.routes)
                    .filter_map(|route| Some(("site", &route.called()?.upstream))),
            )
        {
            upstreams.push((table, one_try(upstream)?));
        }
        let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default()).map_err(start)?;
        let mut trials = runtime.block_on(connect(upstreams, authorities(config)));
        // Whoever is given up is not waited for.
        runtime.shutdown_background();
        trials.extend(asked.into_iter().filter_map(|asked| asked.join().ok()).flatten());
        Ok(trials)
    })
}

/// Neither the breaker nor a share of the connections decides whether it is tried.
fn one_try(settings: &UpstreamSettings) -> Result<Arc<Upstream>, ServeError> {
    let name = settings.name.clone();
    Upstream::new(settings.clone(), 1).map_err(|source| ServeError::Upstream { name, source: Box::new(source) })
}

async fn connect(upstreams: Vec<(&'static str, Arc<Upstream>)>, authorities: Vec<(String, Authority)>) -> Vec<Trial> {
    let resolver = Arc::new(Resolver::system());
    let mut under_way: Vec<JoinHandle<Vec<Trial>>> = Vec::new();
    for (table, upstream) in upstreams {
        for origin in 0..upstream.settings().origins.len() {
            under_way.push(spawn_local(try_origin(table, upstream.clone(), origin, resolver.clone())));
        }
    }
    let called: Vec<JoinHandle<Trial>> =
        authorities.into_iter().map(|(name, authority)| spawn_local(try_authority(name, authority))).collect();
    let mut trials = Vec::new();
    for task in under_way {
        trials.extend(task.await.unwrap_or_default());
    }
    for task in called {
        trials.extend(task.await);
    }
    trials
}

/// Each once, with the first site that has its certificate from there.
fn authorities(config: &Config) -> Vec<(String, Authority)> {
    let mut all: Vec<(String, Authority)> = Vec::new();
    for site in &config.settings.site {
        let Some(found) = site.acme.as_ref().map(authority) else { continue };
        if !all.iter().any(|(_, known)| known.directory == found.directory && known.ca == found.ca) {
            all.push((site.proxy.upstream.name.clone(), found));
        }
    }
    all
}

async fn try_authority(name: String, authority: Authority) -> Trial {
    let failed = match timeout(LONGEST, try_directory(&authority)).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(Failed { reason: error.as_str(), cause: error.to_string() }),
        Err(_) => Some(Failed { reason: "authority_timeout", cause: format!("no directory within {LONGEST:?}") }),
    };
    Trial {
        table: "site",
        name,
        what: "authority",
        path: None,
        place: authority.directory,
        address: None,
        spoken: failed.is_none().then_some("ACME"),
        failed,
    }
}

async fn try_origin(
    table: &'static str,
    upstream: Arc<Upstream>,
    origin: usize,
    resolver: Arc<Resolver>,
) -> Vec<Trial> {
    let blank = || Trial {
        table,
        name: upstream.settings().name.clone(),
        what: "upstream",
        path: None,
        place: url(&upstream, origin),
        address: None,
        spoken: None,
        failed: None,
    };
    let failed = |reason, cause| Trial { failed: Some(Failed { reason, cause }), ..blank() };
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
            spawn_local(async move { try_endpoint(trial, &upstream, &endpoint).await })
        })
        .collect();
    let mut trials = Vec::new();
    for task in tries {
        trials.extend(task.await);
    }
    trials
}

async fn try_endpoint(mut trial: Trial, upstream: &Upstream, endpoint: &Arc<Endpoint>) -> Trial {
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

fn url(upstream: &Upstream, origin: usize) -> String {
    let Some(origin) = upstream.settings().origins.get(origin) else { return String::new() };
    match &origin.at {
        EndpointAddress::Unix(path) => format!("unix:{}", path.display()),
        EndpointAddress::Tcp(..) => format!("{}://{}", if origin.tls { "https" } else { "http" }, origin.authority),
    }
}

/// The validators of one database, each with its site's name.
type Database<'a> = Vec<(&'a str, &'a ValidatorSettings)>;

fn databases<'a>(all: impl Iterator<Item = (&'a str, &'a ValidatorSettings)>) -> Vec<Database<'a>> {
    let mut databases: Vec<(String, Database<'a>)> = Vec::new();
    for (name, validator) in all {
        let key = match &validator.source {
            ValidatorSource::Postgres { url, .. } | ValidatorSource::MySql { url, .. } => url.clone(),
            ValidatorSource::Sqlite { file, .. } => file.display().to_string(),
            ValidatorSource::File { .. } | ValidatorSource::Head => continue,
        };
        match databases.iter_mut().find(|(known, _)| *known == key) {
            Some((_, validators)) => validators.push((name, validator)),
            None => databases.push((key, vec![(name, validator)])),
        }
    }
    databases.into_iter().map(|(_, validators)| validators).collect()
}

/// One after the other, so that a check takes no more of a database's connections than serving does; who lets nobody in
/// is not asked again.
fn ask(database: &Database<'_>) -> Vec<Trial> {
    let mut out: Option<AskError> = None;
    let mut trials = Vec::new();
    for (name, settings) in database {
        let error = match &out {
            Some(error) => Some(error.clone()),
            None => try_validator(settings).err(),
        };
        if let Some(error @ (AskError::Unreachable(_) | AskError::Refused(_) | AskError::Timeout)) = &error {
            out = Some(error.clone());
        }
        let failed = error.map(|error| Failed { reason: error.as_str(), cause: error.to_string() });
        trials.push(Trial {
            table: "site",
            name: (*name).to_owned(),
            what: "validator",
            path: Some(settings.path.clone()),
            place: settings.source.place(),
            address: None,
            spoken: failed.is_none().then_some("the query is prepared"),
            failed,
        });
    }
    trials
}

fn try_validator(settings: &ValidatorSettings) -> Result<(), AskError> {
    let validator = Validator::new(settings.clone(), 1).map_err(|error| AskError::Query(error.to_string().into()))?;
    validator.try_once()
}
