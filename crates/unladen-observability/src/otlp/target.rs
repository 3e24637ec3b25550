//! The principal type is [`Target`]: the address of a collector, from its URL.

use std::str::FromStr;

use url::{Host, Url};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) tls: bool,
    /// Name or address to connect to, without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) authority: String,
    /// Path before `/v1/traces`, without a slash at its end.
    pub(super) prefix: String,
}

/// Why a URL cannot be a collector's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TargetError {
    #[error("{0:?} is no URL: {1}")]
    Malformed(String, url::ParseError),
    #[error("{0:?} is no URL of a collector: it has to begin with http:// or https://")]
    Scheme(String),
    #[error(
        "{0:?} is no URL of a collector: only host, port and path are used, so a user, a query or a fragment may not be there"
    )]
    Surplus(String),
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let url = Url::parse(text).map_err(|error| TargetError::Malformed(text.to_owned(), error))?;
        let (tls, default_port) = match url.scheme() {
            "http" => (false, 80),
            "https" => (true, 443),
            _ => return Err(TargetError::Scheme(text.to_owned())),
        };
        let surplus = !url.username().is_empty() || url.password().is_some();
        if surplus || url.query().is_some() || url.fragment().is_some() {
            return Err(TargetError::Surplus(text.to_owned()));
        }
        let (host, authority) = match url.host() {
            Some(Host::Domain(name)) => (name.to_owned(), name.to_owned()),
            Some(Host::Ipv4(address)) => (address.to_string(), address.to_string()),
            Some(Host::Ipv6(address)) => (address.to_string(), format!("[{address}]")),
            None => return Err(TargetError::Scheme(text.to_owned())),
        };
        let port = url.port().unwrap_or(default_port);
        let authority = if port == default_port { authority } else { format!("{authority}:{port}") };
        Ok(Self { tls, host, port, authority, prefix: url.path().trim_end_matches('/').to_owned() })
    }
}
