//! The principal type is [`PeerAddress`]: address of another node's metrics.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use url::Url;

/// Address of another node's metrics: `http://10.0.0.2:9902` or `unix:/run/other/admin.sock`; `/metrics` is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerAddress(Place);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Name or address (without brackets), and host with port as written, for `Host`.
    Tcp {
        host: String,
        port: u16,
        authority: String,
    },
    Unix(PathBuf),
}

/// Error for a text that is no address of another node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is neither of the form http://HOST:PORT nor unix:/PATH")]
pub struct PeerAddressError;

// === impl PeerAddress ===

impl PeerAddress {
    pub(super) fn place(&self) -> &Place {
        &self.0
    }
}

impl FromStr for PeerAddress {
    type Err = PeerAddressError;

    fn from_str(text: &str) -> Result<Self, PeerAddressError> {
        if let Some(path) = text.strip_prefix("unix:") {
            return if path.starts_with('/') { Ok(Self(Place::Unix(path.into()))) } else { Err(PeerAddressError) };
        }
        let url = Url::parse(text).map_err(|_| PeerAddressError)?;
        let is_plain = url.scheme() == "http"
            && url.username().is_empty()
            && url.password().is_none()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none();
        let (Some(host), Some(port), true) = (url.host(), url.port(), is_plain) else { return Err(PeerAddressError) };
        let authority = format!("{host}:{port}");
        let host = match host {
            url::Host::Ipv6(address) => address.to_string(),
            other => other.to_string(),
        };
        Ok(Self(Place::Tcp { host, port, authority }))
    }
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::Tcp { authority, .. } => write!(f, "http://{authority}"),
            Place::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl Serialize for PeerAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
