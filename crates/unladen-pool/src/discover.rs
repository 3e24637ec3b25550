//! The principal type is [`Discoverer`]: learns the endpoints of an upstream from its source.

mod error;
mod file;
mod found;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod list;
mod srv;
mod xds;

use std::sync::Arc;

use crate::endpoint::Placed;
use crate::resolve::{ResolveStatus, Resolver};
use crate::settings::{Discovery, EndpointSource, ResolveSettings};
use error::DiscoverError;
use file::EndpointFile;
use found::Found;
use srv::SrvNames;
use xds::ControlPlane;

#[derive(Debug)]
pub(crate) struct Discoverer {
    source: Source,
    status: Arc<ResolveStatus>,
    last: Option<Vec<Found>>,
    placed: Vec<Placed>,
}

#[derive(Debug)]
enum Source {
    Srv(SrvNames),
    File(EndpointFile),
    Xds(Box<ControlPlane>),
}

impl Discoverer {
    /// `known` endpoints that the source still lists are taken over.
    pub(crate) fn new(
        discovery: &Discovery,
        resolver: Arc<Resolver>,
        settings: ResolveSettings,
        known: &[Placed],
    ) -> Self {
        let status = Arc::new(ResolveStatus::default());
        if !known.is_empty() {
            status.succeeded();
        }
        let source = match &discovery.from {
            EndpointSource::Srv(name) => Source::Srv(SrvNames::new(name.clone(), resolver, settings)),
            EndpointSource::File(path) => Source::File(EndpointFile::new(path.clone())),
            EndpointSource::Xds(source) => {
                let plane = ControlPlane::new(source.clone(), discovery.zone.clone(), resolver, settings);
                Source::Xds(Box::new(plane))
            }
        };
        Self { source, status, last: None, placed: known.to_vec() }
    }

    pub(crate) fn status(&self) -> Arc<ResolveStatus> {
        self.status.clone()
    }

    /// Waits for a change, and returns all endpoints, perhaps none. Endpoints that stay keep their identity and state.
    /// Errors and recovery are reported once each.
    pub(crate) async fn changed(&mut self, told: &impl Fn(&str)) -> Vec<Placed> {
        loop {
            let answer = match &mut self.source {
                Source::Srv(names) => names.next().await,
                Source::File(file) => file.next().await,
                Source::Xds(plane) => plane.next().await.map_err(DiscoverError::Xds),
            };
            if let Some(placed) = self.learn(answer, told) {
                return placed;
            }
        }
    }

    fn learn(&mut self, answer: Result<Vec<Found>, DiscoverError>, told: &impl Fn(&str)) -> Option<Vec<Placed>> {
        let before = self.status.error();
        if matches!(self.source, Source::Srv(_)) {
            self.status.looked_up(answer.is_ok());
        }
        match answer {
            Ok(found) => {
                self.status.succeeded();
                if before.is_some() {
                    told("discovery works again");
                }
                if self.last.as_ref() == Some(&found) {
                    return None;
                }
                let known = std::mem::take(&mut self.placed);
                self.placed = found.iter().cloned().map(|found| found.place(&known)).collect();
                self.last = Some(found);
                Some(self.placed.clone())
            }
            Err(error) => {
                let text = error.to_string();
                if before.as_ref() != Some(&text) {
                    let meanwhile = if self.last.is_some() || !self.placed.is_empty() {
                        "the previous endpoints stay in use"
                    } else {
                        "it has no endpoint yet"
                    };
                    told(&format!("discovery fails, {meanwhile}: {text}"));
                }
                self.status.failed(text);
                None
            }
        }
    }
}

/// Current endpoints of the source, without drained ones.
///
/// # Errors
/// Why the source provides none.
pub(crate) async fn look_up(
    discovery: &Discovery,
    resolver: Arc<Resolver>,
    settings: ResolveSettings,
) -> Result<Vec<Placed>, String> {
    let found = match &discovery.from {
        EndpointSource::Srv(name) => SrvNames::new(name.clone(), resolver, settings).next().await,
        EndpointSource::File(path) => file::read(path),
        EndpointSource::Xds(source) => {
            let mut plane = ControlPlane::new(source.clone(), discovery.zone.clone(), resolver, settings);
            plane.next().await.map_err(DiscoverError::Xds)
        }
    };
    let found = found.map_err(|error| error.to_string())?;
    Ok(found.into_iter().filter(|one| !one.draining).map(|one| one.place(&[])).collect())
}

#[cfg(test)]
mod tests;
