//! The principal type is [`Dns`]: asks DNS servers for both address families, with search domains.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hickory_resolver::config::{
    ConnectionConfig, NameServerConfig, ProtocolConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::ProtoError;
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};
use hickory_resolver::{TokioResolver, system_conf};

/// Maximum wait for a server before it is asked again, or another: a packet may be lost, and glibc's 5 s are the whole
/// time of a lookup.
const MAX_TRY: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct Dns {
    made_of: Vec<u8>,
    client: TokioResolver,
    search: Vec<Name>,
    ndots: usize,
}

#[derive(Debug)]
pub(super) struct DnsAnswer {
    pub(super) addresses: Vec<IpAddr>,
    pub(super) ttl: Duration,
    pub(super) partial: bool,
}

#[derive(Debug, Default)]
struct Records {
    addresses: Vec<IpAddr>,
    ttl: Option<Duration>,
    /// The name exists, or may exist, though without such records.
    exists: bool,
}

impl Dns {
    pub(super) fn of_text(text: Vec<u8>, file: &Path) -> Result<Self, ResolveError> {
        let unusable = |source| ResolveError::Unusable { file: file.to_owned(), source };
        let (config, options) = system_conf::parse_resolv_conf(&text).map_err(unusable)?;
        let (domain, mut search, servers) = config.into_parts();
        if search.is_empty() {
            // The host's own domain counts only if no other is named (resolv.conf(5)).
            search.extend(domain);
        }
        Self::new(text, search, servers, options).map_err(unusable)
    }

    /// Client for these servers, without search domains.
    pub(super) fn of_servers(servers: &[SocketAddr]) -> Result<Self, ResolveError> {
        let servers = servers.iter().map(|server| {
            let connections = [ProtocolConfig::Udp, ProtocolConfig::Tcp].map(|protocol| {
                let mut connection = ConnectionConfig::new(protocol);
                connection.port = server.port();
                connection
            });
            NameServerConfig::new(server.ip(), true, connections.into())
        });
        Self::new(Vec::new(), Vec::new(), servers.collect(), ResolverOpts::default())
            .map_err(|source| ResolveError::Unusable { file: "the given servers".into(), source })
    }

    fn new(
        made_of: Vec<u8>,
        search: Vec<Name>,
        servers: Vec<NameServerConfig>,
        mut options: ResolverOpts,
    ) -> Result<Self, NetError> {
        let ndots = options.ndots;
        options.use_hosts_file = ResolveHosts::Never;
        options.timeout = options.timeout.min(MAX_TRY);
        // Answers are kept here instead, and renewed when they expire.
        options.cache_size = 0;
        let config = ResolverConfig::from_name_servers(servers);
        let client = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
            .with_options(options)
            .build()?;
        Ok(Self { made_of, client, search, ndots })
    }

    pub(super) fn made_of(&self) -> &[u8] {
        &self.made_of
    }

    pub(super) async fn lookup(&self, host: &str) -> Result<DnsAnswer, ResolveError> {
        let mut exists = false;
        for name in self.names(host)? {
            // Both at once; each has its own retries.
            let (v6, v4) = tokio::join!(self.ask(&name, RecordType::AAAA), self.ask(&name, RecordType::A));
            let (records, failed) = match (v6, v4) {
                (Ok(v6), Ok(v4)) => (v6.and(v4), None),
                (Ok(records), Err(failed)) | (Err(failed), Ok(records)) => (records, Some(failed)),
                (Err(failed), Err(_)) => return Err(ResolveError::Failed { host: host.to_owned(), source: failed }),
            };
            if !records.addresses.is_empty() {
                let ttl = records.ttl.unwrap_or_default();
                return Ok(DnsAnswer { addresses: records.addresses, ttl, partial: failed.is_some() });
            }
            if let Some(source) = failed {
                // The next domain could lead to another host of this name.
                return Err(ResolveError::Failed { host: host.to_owned(), source });
            }
            exists |= records.exists;
        }
        let host = host.to_owned();
        Err(if exists { ResolveError::NoAddress { host } } else { ResolveError::NotFound { host } })
    }

    /// SRV records of a name, with the addresses in the same answer.
    pub(super) async fn lookup_srv(&self, host: &str) -> Result<SrvAnswer, ResolveError> {
        let mut exists = false;
        for name in self.names(host)? {
            self.client.clear_lookup_cache(name.clone(), RecordType::SRV);
            match self.client.lookup(name, RecordType::SRV).await {
                Ok(lookup) => {
                    let answer = srv_answer(lookup.answers(), lookup.additionals());
                    if !answer.records.is_empty() {
                        return Ok(answer);
                    }
                    exists = true;
                }
                Err(error) if error.is_no_records_found() => exists |= !error.is_nx_domain(),
                Err(source) => return Err(ResolveError::Failed { host: host.to_owned(), source }),
            }
        }
        let host = host.to_owned();
        Err(if exists { ResolveError::NoService { host } } else { ResolveError::NotFound { host } })
    }

    /// Full names that a name may stand for, in query order (resolv.conf(5), `search` and `ndots`).
    fn names(&self, host: &str) -> Result<Vec<Name>, ResolveError> {
        let bad = |source| ResolveError::BadName { host: host.to_owned(), source };
        let name = Name::from_ascii(host).map_err(bad)?;
        let mut full = name.clone();
        full.set_fqdn(true);
        if name.is_fqdn() {
            return Ok(vec![full]);
        }
        // Leaves out names that get too long with a domain.
        let mut names: Vec<_> =
            self.search.iter().filter_map(|domain| name.clone().append_domain(domain).ok()).collect();
        let dots = host.bytes().filter(|&byte| byte == b'.').count();
        let at = if dots >= self.ndots { 0 } else { names.len() };
        names.insert(at, full);
        Ok(names)
    }

    async fn ask(&self, name: &Name, kind: RecordType) -> Result<Records, NetError> {
        // Even of size 0, the cache still holds an answer until its cleanup.
        self.client.clear_lookup_cache(name.clone(), kind);
        match self.client.lookup(name.clone(), kind).await {
            Ok(lookup) => Ok(Records {
                addresses: lookup.answers().iter().filter_map(|record| record.data.ip_addr()).collect(),
                ttl: lookup.answers().iter().map(|record| Duration::from_secs(record.ttl.into())).min(),
                exists: true,
            }),
            Err(error) if error.is_no_records_found() => {
                Ok(Records { exists: !error.is_nx_domain(), ..Records::default() })
            }
            Err(error) => Err(error),
        }
    }
}

impl Records {
    fn and(mut self, other: Self) -> Self {
        self.addresses.extend(other.addresses);
        self.ttl = match (self.ttl, other.ttl) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        self.exists |= other.exists;
        self
    }
}

/// Why a name could not be resolved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    #[error("no DNS server is known: {}: {source}; addresses and names of /etc/hosts work without", file.display())]
    NoServers { file: PathBuf, source: io::Error },
    #[error("{} names no usable DNS server: {source}; it should have a line `nameserver ADDRESS`", file.display())]
    Unusable { file: PathBuf, source: NetError },
    #[error("`{host}` is not a valid DNS name: {source}")]
    BadName { host: String, source: ProtoError },
    #[error("there is no host `{host}`: check its spelling, /etc/hosts and the search domains of /etc/resolv.conf")]
    NotFound { host: String },
    #[error("the name `{host}` has no address")]
    NoAddress { host: String },
    /// The name exists, without SRV records.
    #[error("the name `{host}` has no SRV record")]
    NoService { host: String },
    #[error("{why}")]
    Untold { why: String },
    #[error("no DNS server answered for `{host}` within {after:?}")]
    Timeout { host: String, after: Duration },
    #[error("the DNS servers failed for `{host}`: {source}")]
    Failed { host: String, source: NetError },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SrvAnswer {
    /// Unordered; at least one.
    pub(crate) records: Vec<SrvRecord>,
    pub(crate) ttl: Duration,
    /// Addresses in the additional section, and their shortest lifetime, by the target's name.
    pub(crate) glue: HashMap<String, (Vec<IpAddr>, Duration)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SrvRecord {
    pub(crate) priority: u16,
    pub(crate) weight: u16,
    pub(crate) port: u16,
    /// In lower case, with its final dot; `.` means that there is no such service.
    pub(crate) target: String,
}

fn srv_answer(answers: &[Record], additionals: &[Record]) -> SrvAnswer {
    let mut records = Vec::new();
    let mut shortest = None;
    for record in answers {
        // A CNAME that leads to them may have a shorter lifetime.
        shortest = Some(shortest.map_or(record.ttl, |ttl: u32| ttl.min(record.ttl)));
        if let RData::SRV(srv) = &record.data {
            records.push(SrvRecord {
                priority: srv.priority,
                weight: srv.weight,
                port: srv.port,
                target: text(&srv.target),
            });
        }
    }
    records.sort_unstable();
    records.dedup();
    let mut glue: HashMap<String, (Vec<IpAddr>, Duration)> = HashMap::new();
    for record in additionals {
        let (Some(address), target) = (record.data.ip_addr(), text(&record.name)) else { continue };
        if !records.iter().any(|record| record.target == target) {
            // Not a requested name.
            continue;
        }
        let ttl = Duration::from_secs(record.ttl.into());
        let (addresses, shortest) = glue.entry(target).or_insert_with(|| (Vec::new(), ttl));
        addresses.push(address);
        *shortest = ttl.min(*shortest);
    }
    SrvAnswer { records, ttl: Duration::from_secs(shortest.unwrap_or_default().into()), glue }
}

fn text(name: &Name) -> String {
    let mut name = name.to_lowercase();
    name.set_fqdn(true);
    name.to_ascii()
}

#[cfg(test)]
mod tests;
