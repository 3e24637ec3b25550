//! [`try_connections`]: connects to all that serving needs, before anything is served, and reports the results.

mod endpoints;

use std::collections::HashSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, LocalOptions};
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::timeout;
use unladen_acme::{Authority, try_directory};
use unladen_fleet::try_bus;
use unladen_pool::{Resolver, Upstream};
use unladen_serve_config::{Config, FleetSettings, RateServiceSettings, Settings};
use unladen_validator::{AskError, Validator, ValidatorSettings, ValidatorSource};

use self::endpoints::{LONGEST, TriedTier, one_try, try_origin};
use super::error::ServeError;
use super::fleet::bus_settings;
use super::plans::ports;
use crate::limits::service::RateService;
use crate::site::tls::acme::authority;

pub use self::endpoints::{Failed, Trial};

/// Connects to all that serving needs: each address of each upstream, each validator's database and change channel,
/// each certificate authority, the fleet's bus, the tier's nodes and each rate limit service. It asks applications
/// nothing, databases only a validator's first questions, authorities their directory, and writes a purge of nothing to
/// the bus. All run at once; it takes half a minute where nobody answers.
///
/// # Errors
/// If its own resources cannot be had, or an upstream cannot be made.
pub fn try_connections(config: &Config) -> Result<Vec<Trial>, ServeError> {
    let start = |source| ServeError::Start { doing: "a runtime to connect with", source };
    let settings = &config.settings;
    let databases = databases(settings.site.iter().flat_map(|site| {
        let name = &site.proxy.upstream.name;
        site.validators.iter().map(move |validator| (name.as_str(), validator))
    }));
    thread::scope(|scope| {
        let mut asked: Vec<_> = databases.iter().map(|database| scope.spawn(|| ask(database))).collect();
        asked.extend(settings.site.iter().flat_map(|site| {
            let name = &site.proxy.upstream.name;
            let share = move |validator| scope.spawn(move || share(name, validator).into_iter().collect());
            site.validators.iter().filter(|validator| validator.shared.is_some()).map(share)
        }));
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
        let tier = settings.tier.as_ref().map(|tier| TriedTier::new(tier, ports(settings))).transpose()?;
        let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default()).map_err(start)?;
        let mut trials = runtime.block_on(connect(config, upstreams, tier));
        // Tasks that were given up are not waited for.
        runtime.shutdown_background();
        trials.extend(asked.into_iter().filter_map(|asked| asked.join().ok()).flatten());
        Ok(trials)
    })
}

async fn connect(
    config: &Config,
    upstreams: Vec<(&'static str, Arc<Upstream>)>,
    tier: Option<TriedTier>,
) -> Vec<Trial> {
    let resolver = Arc::new(Resolver::system());
    let mut under_way: Vec<JoinHandle<Vec<Trial>>> = Vec::new();
    for (table, upstream) in upstreams {
        for origin in 0..upstream.settings().origins.len() {
            under_way.push(spawn_local(try_origin(table, upstream.clone(), origin, resolver.clone())));
        }
    }
    under_way.extend(tier.map(|tier| spawn_local(tier.run(resolver.clone()))));
    let authorities = authorities(config).into_iter();
    let mut called: Vec<JoinHandle<Trial>> =
        authorities.map(|(name, authority)| spawn_local(try_authority(name, authority))).collect();
    called.extend(config.settings.fleet.clone().map(|settings| spawn_local(bus(settings))));
    called.extend(services(&config.settings).into_iter().map(|service| spawn_local(limits(service))));
    let mut trials = Vec::new();
    for task in under_way {
        trials.extend(task.await.unwrap_or_default());
    }
    for task in called {
        trials.extend(task.await);
    }
    trials
}

/// Each authority once, with the first site that uses it.
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
    let spoken = failed.is_none().then_some("ACME");
    Trial { spoken, failed, ..Trial::of("site", &name, "authority", authority.directory) }
}

/// Bound on connecting and an answer.
const ANSWER: Duration = Duration::from_secs(5);

async fn bus(settings: FleetSettings) -> Trial {
    let trial = Trial::of("fleet", &settings.name, "bus", settings.purges.to_string());
    match try_bus(&bus_settings(&settings), settings.lease).await {
        Ok(doubt) => {
            Trial { spoken: Some("a purge was written, notified and read"), doubt: doubt.map(str::to_owned), ..trial }
        }
        Err(error) => trial.failed(error.into_str(), error.to_string()),
    }
}

/// Each service once, with the first table that uses it.
fn services(settings: &Settings) -> Vec<(&'static str, String, RateServiceSettings)> {
    let mut seen = HashSet::new();
    let sites = settings.site.iter().map(|site| ("site", &site.proxy));
    let all = settings.outbound.iter().map(|proxy| ("outbound", proxy)).chain(sites).flat_map(|(table, proxy)| {
        let services = proxy.rates.iter().filter_map(|rate| rate.service.clone());
        services.map(move |service| (table, proxy.upstream.name.clone(), service))
    });
    all.filter(|(_, _, service)| seen.insert(service.clone())).collect()
}

async fn limits((table, name, settings): (&'static str, String, RateServiceSettings)) -> Trial {
    let trial = Trial::of(table, &name, "rate limit service", settings.to_string());
    match RateService::try_once(&settings, ANSWER).await {
        Ok(()) => Trial { spoken: Some("it answers"), ..trial },
        Err(cause) => trial.failed("rate_limit_service", cause),
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

/// Asks one after the other, so that a check takes no more of a database's connections than serving does; a database
/// that refuses the login is not asked again.
fn ask(database: &Database<'_>) -> Vec<Trial> {
    let mut out: Option<AskError> = None;
    let mut trials = Vec::new();
    for (name, settings) in database {
        let tried = match &out {
            Some(error) => Err(error.clone()),
            None => made(settings).and_then(|validator| validator.try_once().and_then(|()| validator.doubt())),
        };
        if let Err(error @ (AskError::Unreachable(_) | AskError::Refused(_) | AskError::Timeout)) = &tried {
            out = Some(error.clone());
        }
        let (place, is_answered) = (settings.source.place(), tried.is_ok());
        let (doubt, error) = match tried {
            Ok(doubt) => (doubt, None),
            Err(error) => (None, Some(error)),
        };
        let asked = trial(name, settings, "validator", place.clone(), "the query was prepared", error);
        trials.push(Trial { doubt, ..asked });
        if is_answered && settings.listen.is_some() {
            let listened = made(settings).and_then(|validator| validator.try_to_listen());
            let told = "notifications from another session arrive";
            trials.push(trial(name, settings, "channel", place, told, listened.err()));
        }
    }
    trials
}

fn share(name: &str, settings: &ValidatorSettings) -> Option<Trial> {
    let shared = settings.shared.as_ref()?;
    let tried = made(settings).and_then(|validator| validator.try_to_share());
    let told = "answers can be looked up and stored";
    Some(trial(name, settings, "shared answers", shared.url.to_string(), told, tried.err()))
}

fn trial(
    name: &str,
    settings: &ValidatorSettings,
    what: &'static str,
    place: String,
    spoken: &'static str,
    error: Option<AskError>,
) -> Trial {
    let failed = error.map(|error| Failed { reason: error.into_str(), cause: error.to_string() });
    Trial {
        path: Some(settings.path.clone()),
        spoken: failed.is_none().then_some(spoken),
        failed,
        ..Trial::of("site", name, what, place)
    }
}

fn made(settings: &ValidatorSettings) -> Result<Validator, AskError> {
    Validator::new(settings.clone(), 1).map_err(|error| AskError::Query(error.to_string().into()))
}
