//! [`try_connections`]: connects to all that serving needs, before anything is served, and reports the results.

mod endpoints;
mod fleet;
mod outcome;
mod peers;
mod validators;

use std::sync::Arc;
use std::thread;

use tokio::runtime::{Builder, LocalOptions};
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::timeout;
use unladen_acme::{Authority, try_directory};
use unladen_pool::{Resolver, Upstream};
use unladen_serve_config::Config;

use self::endpoints::{LONGEST, one_try, try_origin};
use self::peers::TriedTier;
use self::validators::{ask, databases, share};
use crate::control::error::ServeError;
use crate::control::plans::ports;
use crate::site::tls::acme::authority;

pub use self::outcome::{Failed, Trial};

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
    called.extend(config.settings.fleet.clone().map(|settings| spawn_local(fleet::bus(settings))));
    called.extend(fleet::services(&config.settings).into_iter().map(|service| spawn_local(fleet::limits(service))));
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
