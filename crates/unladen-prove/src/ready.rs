//! The principal type is [`Ready`]: how to tell that a program is there again.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use unladen_load::{Statuses, TlsOptions};
use url::Url;

/// A condition, and the longest that it may take to come true.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The condition.
    pub check: Check,
    /// The longest that it may take.
    pub within: Duration,
}

/// A condition, looked at again and again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Check {
    /// A GET of the URL is answered with one of these statuses.
    Url {
        /// The URL.
        url: Url,
        /// The statuses.
        statuses: Statuses,
        /// Whom to trust.
        tls: TlsOptions,
    },
    /// A shell command ends with 0.
    Command(String),
    /// A TCP connection can be opened.
    Tcp(SocketAddr),
    /// A connection to a Unix stream socket can be opened.
    Unix(PathBuf),
}
