//! The principal type is [`ResolveError`]: why a name could not be resolved.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use hickory_resolver::net::NetError;
use hickory_resolver::proto::ProtoError;

/// Why a name could not be resolved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    #[error("no DNS server is known: {}: {source}; addresses and names of /etc/hosts work without", file.display())]
    NoServers { file: PathBuf, source: io::Error },
    #[error("no DNS server can be asked as {} is: {source}; it should have a line `nameserver ADDRESS`", file.display())]
    Unusable { file: PathBuf, source: NetError },
    #[error("`{host}` is no name that DNS could have: {source}")]
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
