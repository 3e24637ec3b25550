//! The principal type is [`LogFields`]: which fields an access log line has. [`LogField`] is the only list of them.

use std::net::IpAddr;

use ipnet::{Ipv4Net, Ipv6Net};
use serde::{Serialize, Serializer};

/// A field of the access log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogField {
    Time,
    Client,
    Upstream,
    Endpoint,
    Method,
    Authority,
    Target,
    ClientVersion,
    UpstreamVersion,
    Status,
    End,
    Reason,
    Cause,
    Cache,
    CacheWhy,
    Reuse,
    Attempts,
    HeadNs,
    ConnectedNs,
    FirstByteNs,
    TotalNs,
    BytesIn,
    BytesOut,
    RequestId,
    TraceId,
    SpanId,
    Sampled,
    UserAgent,
    Referer,
}

/// Which fields a line has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogFields(u32);

/// How much of client addresses is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Addresses {
    #[default]
    Full,
    /// Network only: /24 of IPv4, /48 of IPv6.
    Truncated,
    None,
}

/// Kept bits of a truncated address: usual for web statistics, shared by many customers of a provider.
const IPV4_PREFIX: u8 = 24;
/// At most a site's own prefix (RFC 6177).
const IPV6_PREFIX: u8 = 48;

impl LogField {
    /// All fields with their names in the line and in `[log] fields`, in the order of a line, which is that of the enum.
    pub const WORDS: [(&'static str, Self); 29] = [
        ("time", Self::Time),
        ("client", Self::Client),
        ("upstream", Self::Upstream),
        ("endpoint", Self::Endpoint),
        ("method", Self::Method),
        ("authority", Self::Authority),
        ("target", Self::Target),
        ("client_version", Self::ClientVersion),
        ("upstream_version", Self::UpstreamVersion),
        ("status", Self::Status),
        ("end", Self::End),
        ("reason", Self::Reason),
        ("cause", Self::Cause),
        ("cache", Self::Cache),
        ("cache_reason", Self::CacheWhy),
        ("reuse", Self::Reuse),
        ("attempts", Self::Attempts),
        ("head_ns", Self::HeadNs),
        ("connected_ns", Self::ConnectedNs),
        ("first_byte_ns", Self::FirstByteNs),
        ("total_ns", Self::TotalNs),
        ("bytes_in", Self::BytesIn),
        ("bytes_out", Self::BytesOut),
        ("request_id", Self::RequestId),
        ("trace_id", Self::TraceId),
        ("span_id", Self::SpanId),
        ("sampled", Self::Sampled),
        ("user_agent", Self::UserAgent),
        ("referer", Self::Referer),
    ];

    /// Name in the line, and in `[log] fields`.
    pub fn as_str(self) -> &'static str {
        Self::WORDS[self as usize].0
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

// === impl LogFields ===

impl LogFields {
    /// All fields.
    pub const EVERY: Self = Self((1 << LogField::WORDS.len()) - 1);

    /// Whether a line has this field.
    pub fn has(self, field: LogField) -> bool {
        self.0 & field.bit() != 0
    }

    /// Its fields in the order of a line.
    pub fn iter(self) -> impl Iterator<Item = LogField> {
        LogField::WORDS.iter().map(|(_, field)| *field).filter(move |field| self.has(*field))
    }

    pub(crate) fn to_bits(self) -> u32 {
        self.0
    }

    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

impl FromIterator<LogField> for LogFields {
    fn from_iter<I: IntoIterator<Item = LogField>>(fields: I) -> Self {
        Self(fields.into_iter().fold(0, |bits, field| bits | field.bit()))
    }
}

impl Serialize for LogFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(LogField::as_str))
    }
}

impl Addresses {
    /// Values of `[log] addresses`.
    pub const WORDS: [(&'static str, Self); 3] =
        [("full", Self::Full), ("truncated", Self::Truncated), ("none", Self::None)];

    /// The part of this address to log.
    pub fn of(self, address: IpAddr) -> Option<IpAddr> {
        // An IPv4 client at a dual-stack socket is logged as IPv4.
        let address = address.to_canonical();
        match (self, address) {
            (Self::None, _) => None,
            (Self::Full, address) => Some(address),
            (Self::Truncated, IpAddr::V4(address)) => {
                Ipv4Net::new(address, IPV4_PREFIX).ok().map(|network| IpAddr::V4(network.network()))
            }
            (Self::Truncated, IpAddr::V6(address)) => {
                Ipv6Net::new(address, IPV6_PREFIX).ok().map(|network| IpAddr::V6(network.network()))
            }
        }
    }
}

#[cfg(test)]
mod tests;
