//! The principal type is [`RateServiceSettings`]: a service that keeps rate bounds for all who ask it.

use std::fmt;

use serde::{Serialize, Serializer};

/// A rate limit service that speaks `envoy.service.ratelimit.v3`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RateServiceSettings {
    pub tls: bool,
    /// A name, or an address without brackets.
    pub host: String,
    pub port: u16,
    /// Which of the service's configurations applies.
    pub domain: String,
}

/// An entry of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntrySettings {
    pub key: String,
    pub value: EntryValue,
}

/// What the value of an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryValue {
    /// This value, always.
    Fixed(String),
    /// The client's address; for IPv6, its /64.
    Client,
    Header(String),
}

// === impl RateServiceSettings ===

impl RateServiceSettings {
    /// Host and port, as in a URL.
    pub fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

impl fmt::Display for RateServiceSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "grpcs" } else { "grpc" };
        write!(f, "{scheme}://{}/{}", self.authority(), self.domain)
    }
}

impl Serialize for RateServiceSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

// === impl EntrySettings ===

impl fmt::Display for EntrySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, value } = self;
        match value {
            EntryValue::Fixed(value) => write!(f, "{key}={value}"),
            EntryValue::Client => write!(f, "{key}=$client"),
            EntryValue::Header(name) => write!(f, "{key}=$header:{name}"),
        }
    }
}

impl Serialize for EntrySettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
