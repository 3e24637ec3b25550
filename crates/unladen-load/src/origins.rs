//! The principal type is [`Origins`]: the origins of all requests of a client.

use std::sync::Arc;

use rustls::pki_types::ServerName;
use url::{Host, Url};

use crate::config::DriverConfig;
use crate::connect::Connector;
use crate::error::LoadError;
use crate::origin::Origin;
use crate::target::Target;
use crate::wire::Meter;

pub(crate) struct Origins {
    all: Vec<Origin>,
    of: Vec<usize>,
}

impl Origins {
    /// Resolves the names of all requests, and loads certificates if one is https. Nothing is connected to yet.
    pub(crate) fn resolve(config: &DriverConfig, meter: &Arc<Meter>) -> Result<Self, LoadError> {
        let mut origins: Vec<(url::Origin, Origin)> = Vec::new();
        let mut of = Vec::new();
        let mut tls_config = None;
        for request in &config.requests {
            let url = request.url();
            let found = origins.iter().position(|(origin, _)| *origin == url.origin());
            let position = match found {
                Some(position) => position,
                None => {
                    let target = Target::resolve(url, config.connect_to.as_ref(), config.connect_timeout)?;
                    let tls = match url.scheme() {
                        "https" => {
                            // Reading the system's authorities takes some ms and is the same for all.
                            let tls_config = match &tls_config {
                                Some(tls_config) => tls_config,
                                None => tls_config.insert(config.tls.client_config(config.http)?),
                            };
                            Some((tls_config.clone(), server_name(url)?))
                        }
                        _ => None,
                    };
                    let connector = Connector::new(target, tls, config.http, config.connect_timeout, meter.clone());
                    origins.push((url.origin(), Origin::new(connector, config.keep_alive)));
                    origins.len() - 1
                }
            };
            of.push(position);
        }
        Ok(Self { all: origins.into_iter().map(|(_, origin)| origin).collect(), of })
    }

    pub(crate) fn of(&self, index: usize) -> &Origin {
        &self.all[self.of[index]]
    }

    /// Number of the origin: equal for requests to the same one.
    pub(crate) fn number_of(&self, index: usize) -> usize {
        self.of[index]
    }

    pub(crate) fn targets(&self) -> Vec<Target> {
        self.of.iter().map(|&position| self.all[position].connector().target().clone()).collect()
    }
}

fn server_name(url: &Url) -> Result<ServerName<'static>, LoadError> {
    match url.host() {
        Some(Host::Ipv4(ip)) => Ok(ServerName::from(std::net::IpAddr::V4(ip))),
        Some(Host::Ipv6(ip)) => Ok(ServerName::from(std::net::IpAddr::V6(ip))),
        host => {
            let host = host.map(|host| host.to_string()).unwrap_or_default();
            ServerName::try_from(host.clone()).map_err(|source| LoadError::TlsName { host, source })
        }
    }
}
