//! The principal type is [`Origin`]: the connections to one scheme, host and port, kept open between requests.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use tokio::sync::Mutex;
use url::{Host, Url};

use crate::config::DriverConfig;
use crate::connect::Connector;
use crate::connection::Connection;
use crate::error::LoadError;
use crate::failure::Failure;
use crate::http_version::Protocol;
use crate::target::Target;
use crate::wire::{Counts, Meter};

pub(crate) struct Origin {
    pub(crate) connector: Connector,
    keep_alive: bool,
    /// Idle HTTP/1.1 connections, the last used at the end; never more than workers.
    idle: RefCell<Vec<Connection>>,
    shared: RefCell<Option<Connection>>,
    speaks: Cell<Option<Protocol>>,
    /// Held while a connection is opened that all may share: workers that start together must not open one each.
    opening: Mutex<()>,
}

pub(crate) struct Taken {
    pub(crate) connection: Connection,
    pub(crate) reused: bool,
}

pub(crate) enum OpenError {
    Connect(LoadError),
    Start(Failure),
}

impl Origin {
    pub(crate) fn new(connector: Connector, keep_alive: bool) -> Self {
        Self {
            connector,
            keep_alive,
            idle: RefCell::default(),
            shared: RefCell::default(),
            speaks: Cell::default(),
            opening: Mutex::default(),
        }
    }

    /// A connection that can take a request: an idle one unless `fresh`, else a new one.
    ///
    /// Over HTTP/2 an open shared connection is used even if `fresh`: a refused stream belongs on it as much as before.
    pub(crate) async fn take(&self, fresh: bool, counts: &Counts) -> Result<Taken, OpenError> {
        if self.keep_alive && !fresh {
            while let Some(mut connection) = self.pop() {
                if connection.is_open().await {
                    return Ok(Taken { connection, reused: true });
                }
                counts.closed_by_server();
            }
        }
        if self.keep_alive && self.speaks.get() != Some(Protocol::Http1) {
            let _opening = self.opening.lock().await;
            if let Some(mut connection) = self.shared() {
                if connection.is_open().await {
                    return Ok(Taken { connection, reused: true });
                }
                self.shared.take();
                counts.closed_by_server();
            }
            // The previous holder of the lock may have found out that there is nothing to share.
            if self.speaks.get() != Some(Protocol::Http1) {
                return self.open(counts).await;
            }
        }
        self.open(counts).await
    }

    pub(crate) fn give_back(&self, connection: Connection) {
        if self.keep_alive && connection.protocol() == Protocol::Http1 {
            self.idle.borrow_mut().push(connection);
        }
    }

    async fn open(&self, counts: &Counts) -> Result<Taken, OpenError> {
        let opened = self.connector.open().await.map_err(OpenError::Connect)?;
        counts.opened();
        let started = Connection::start(opened).await;
        let connection = started.map_err(|error| OpenError::Start(Failure::Hyper(error)))?;
        self.speaks.set(Some(connection.protocol()));
        if self.keep_alive {
            *self.shared.borrow_mut() = connection.share();
        }
        Ok(Taken { connection, reused: false })
    }

    // Borrows end with these functions and are never held over an await.

    fn pop(&self) -> Option<Connection> {
        self.idle.borrow_mut().pop()
    }

    fn shared(&self) -> Option<Connection> {
        self.shared.borrow().as_ref().and_then(Connection::share)
    }
}

/// The origins of all requests of a client.
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
        self.of.iter().map(|&position| self.all[position].connector.target.clone()).collect()
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
