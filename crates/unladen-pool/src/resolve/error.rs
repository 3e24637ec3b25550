//! The principal type is [`ResolveError`]: why a name has no addresses now.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use hickory_resolver::net::NetError;
use hickory_resolver::proto::ProtoError;

/// Why a name has no addresses now.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The system has no DNS servers set.
    #[error("no DNS server is known: {}: {source}; addresses and names of /etc/hosts work without", file.display())]
    NoServers {
        /// The file that should name them.
        file: PathBuf,
        /// What the system said of it.
        source: io::Error,
    },
    /// The DNS servers cannot be used as they are set.
    #[error("no DNS server can be asked as {} is: {source}; it should have a line `nameserver ADDRESS`", file.display())]
    Unusable {
        /// The file that names them.
        file: PathBuf,
        /// What is wrong.
        source: NetError,
    },
    /// Not a name that DNS could have.
    #[error("`{host}` is no name that DNS could have: {source}")]
    BadName {
        /// The name.
        host: String,
        /// What is wrong with it.
        source: ProtoError,
    },
    /// There is no such name.
    #[error("there is no host `{host}`: check its spelling, /etc/hosts and the search domains of /etc/resolv.conf")]
    NotFound {
        /// The name.
        host: String,
    },
    /// The name is there, its addresses are not.
    #[error("the name `{host}` has no address")]
    NoAddress {
        /// The name.
        host: String,
    },
    /// The name is there, its SRV records are not.
    #[error("the name `{host}` has no SRV record")]
    NoService {
        /// The name.
        host: String,
    },
    /// What tells the endpoints does not.
    #[error("{why}")]
    Untold {
        /// Why.
        why: String,
    },
    /// The DNS servers did not answer.
    #[error("no DNS server answered for `{host}` within {after:?}")]
    Timeout {
        /// The name.
        host: String,
        /// The time limit.
        after: Duration,
    },
    /// The DNS servers failed.
    #[error("the DNS servers failed for `{host}`: {source}")]
    Failed {
        /// The name.
        host: String,
        /// In which way.
        source: NetError,
    },
}
