//! The principal type is [`Resolver`]: the addresses of a name, as the system's own resolver would find them.
//!
//! In this order: an address is itself; `localhost` and names below it are the loopback addresses (RFC 6761, section
//! 6.3); then the hosts file; then DNS, with the servers, search domains and `ndots` of resolv.conf. Both files are
//! read at each lookup, so that changes need no restart; lookups are only as frequent as answers expire. Settings may
//! name other DNS servers, such as Consul's. [`Watcher`] repeats lookups.

mod dns;
mod hosts;
mod watch;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::settings::ResolveSettings;
use dns::Dns;
pub use dns::ResolveError;
pub(crate) use dns::{SrvAnswer, SrvRecord};
use hosts::read;
pub(crate) use watch::pair;
pub use watch::{ResolveStatus, Watcher};

/// Lifetime of answers from the hosts file; a change of it is seen after this long.
const HOSTS_TTL: Duration = Duration::from_secs(10);

/// Resolves names. One for all upstreams; to be used on one runtime, which carries its connections to DNS servers.
#[derive(Debug)]
pub struct Resolver {
    servers: Servers,
    hosts: PathBuf,
    /// Made of the servers as of the last lookup.
    dns: Mutex<Option<Arc<Dns>>>,
    named: Mutex<HashMap<Vec<SocketAddr>, Arc<Dns>>>,
}

#[derive(Debug)]
enum Servers {
    File(PathBuf),
    Fixed(Vec<SocketAddr>),
}

/// The addresses of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Unordered, without duplicates, at least one.
    pub addresses: Vec<SocketAddr>,
    pub ttl: Duration,
    /// The lookup of one address family failed (as opposed to an empty answer).
    pub partial: bool,
}

impl Resolver {
    /// Uses `/etc/hosts` and `/etc/resolv.conf`.
    pub fn system() -> Self {
        Self::of_files("/etc/hosts", "/etc/resolv.conf")
    }

    /// Uses these two files.
    pub fn of_files(hosts: impl Into<PathBuf>, resolv_conf: impl Into<PathBuf>) -> Self {
        Self {
            servers: Servers::File(resolv_conf.into()),
            hosts: hosts.into(),
            dns: Mutex::default(),
            named: Mutex::default(),
        }
    }

    /// Uses these DNS servers, after a hosts file.
    pub fn of_servers(hosts: impl Into<PathBuf>, servers: Vec<SocketAddr>) -> Self {
        Self { servers: Servers::Fixed(servers), hosts: hosts.into(), dns: Mutex::default(), named: Mutex::default() }
    }

    /// The addresses of a host, with this port.
    ///
    /// # Errors
    /// If there are none, or the lookup fails or exceeds the settings' time.
    pub async fn lookup(&self, host: &str, port: u16, settings: &ResolveSettings) -> Result<Answer, ResolveError> {
        let name = host.strip_suffix('.').unwrap_or(host);
        if let Ok(address) = name.parse::<IpAddr>() {
            return Ok(Answer::fixed(vec![address], port, settings.max_ttl));
        }
        let found = hosts::lookup(&self.hosts, name);
        if !found.is_empty() {
            return Ok(Answer::fixed(found, port, HOSTS_TTL.clamp(settings.min_ttl, settings.max_ttl)));
        }
        if is_localhost(name) {
            let loopback = vec![Ipv6Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.into()];
            return Ok(Answer::fixed(loopback, port, settings.max_ttl));
        }
        let dns = self.dns(settings)?;
        let answer = match tokio::time::timeout(settings.timeout, dns.lookup(host)).await {
            Ok(answer) => answer?,
            Err(_) => return Err(ResolveError::Timeout { host: host.to_owned(), after: settings.timeout }),
        };
        let ttl = answer.ttl.max(settings.min_ttl).min(settings.max_ttl);
        Ok(Answer { partial: answer.partial, ..Answer::fixed(answer.addresses, port, ttl) })
    }

    /// SRV records of a service's name (RFC 2782). Unlike hosts, services are in no file.
    ///
    /// # Errors
    /// If there are none, or the lookup fails or exceeds the settings' time.
    pub(crate) async fn lookup_srv(&self, name: &str, settings: &ResolveSettings) -> Result<SrvAnswer, ResolveError> {
        let dns = self.dns(settings)?;
        match tokio::time::timeout(settings.timeout, dns.lookup_srv(name)).await {
            Ok(answer) => answer,
            Err(_) => Err(ResolveError::Timeout { host: name.to_owned(), after: settings.timeout }),
        }
    }

    fn dns(&self, settings: &ResolveSettings) -> Result<Arc<Dns>, ResolveError> {
        if !settings.servers.is_empty() {
            let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(dns) = named.get(&settings.servers) {
                return Ok(dns.clone());
            }
            let dns = Arc::new(Dns::of_servers(&settings.servers)?);
            named.insert(settings.servers.clone(), dns.clone());
            return Ok(dns);
        }
        let mut last = self.dns.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match &self.servers {
            Servers::File(file) => {
                read(file).map_err(|source| ResolveError::NoServers { file: file.clone(), source })?
            }
            Servers::Fixed(_) => Vec::new(),
        };
        if let Some(dns) = &*last
            && dns.made_of() == text
        {
            return Ok(dns.clone());
        }
        let dns = Arc::new(match &self.servers {
            Servers::File(file) => Dns::of_text(text, file)?,
            Servers::Fixed(servers) => Dns::of_servers(servers)?,
        });
        *last = Some(dns.clone());
        Ok(dns)
    }
}

impl Answer {
    fn fixed(addresses: Vec<IpAddr>, port: u16, ttl: Duration) -> Self {
        let mut addresses: Vec<_> = addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect();
        addresses.sort_unstable();
        addresses.dedup();
        Self { addresses, ttl, partial: false }
    }
}

fn is_localhost(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    last.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests;
