//! Trials of a fleet's bus and rate limit services: [`bus`], [`limits`].

use std::collections::HashSet;
use std::time::Duration;

use unladen_fleet::try_bus;
use unladen_serve_config::{FleetSettings, RateServiceSettings, Settings};

use super::outcome::Trial;
use crate::control::fleet::bus_settings;
use crate::limits::service::RateService;

/// Bound on connecting and an answer.
const ANSWER: Duration = Duration::from_secs(5);

pub(super) async fn bus(settings: FleetSettings) -> Trial {
    let trial = Trial::of("fleet", &settings.name, "bus", settings.purges.to_string());
    match try_bus(&bus_settings(&settings), settings.lease).await {
        Ok(doubt) => {
            Trial { spoken: Some("a purge was written, told and read"), doubt: doubt.map(str::to_owned), ..trial }
        }
        Err(error) => trial.failed(error.as_str(), error.to_string()),
    }
}

/// Each service once, with the first table that uses it.
pub(super) fn services(settings: &Settings) -> Vec<(&'static str, String, RateServiceSettings)> {
    let mut seen = HashSet::new();
    let sites = settings.site.iter().map(|site| ("site", &site.proxy));
    let all = settings.outbound.iter().map(|proxy| ("outbound", proxy)).chain(sites).flat_map(|(table, proxy)| {
        let services = proxy.rates.iter().filter_map(|rate| rate.service.clone());
        services.map(move |service| (table, proxy.upstream.name.clone(), service))
    });
    all.filter(|(_, _, service)| seen.insert(service.clone())).collect()
}

pub(super) async fn limits((table, name, settings): (&'static str, String, RateServiceSettings)) -> Trial {
    let trial = Trial::of(table, &name, "rate limit service", settings.to_string());
    match RateService::try_once(&settings, ANSWER).await {
        Ok(()) => Trial { spoken: Some("it gives verdicts"), ..trial },
        Err(cause) => trial.failed("rate_limit_service", cause),
    }
}
