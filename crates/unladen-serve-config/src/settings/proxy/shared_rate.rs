//! The principal type is [`RateServiceSettings`]: a service that keeps bounds of rates for all who ask it.

use std::fmt;

use serde::{Serialize, Serializer};

/// A service of limits, as `envoy.service.ratelimit.v3` has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RateServiceSettings {
    /// Whether it is spoken to with TLS.
    pub tls: bool,
    /// Its name, or address without brackets.
    pub host: String,
    pub port: u16,
    /// Which of its configurations.
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
    /// This, always.
    Fixed(String),
    /// The client's address; of IPv6, its network of 64 bits.
    Client,
    /// What the request says in this field.
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

/// As it is configured.
impl fmt::Display for RateServiceSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "grpcs" } else { "grpc" };
        write!(f, "{scheme}://{}/{}", self.authority(), self.domain)
    }
}

/// As it is configured.
impl Serialize for RateServiceSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

// === impl EntrySettings ===

/// As it is configured.
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

/// As it is configured.
impl Serialize for EntrySettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
