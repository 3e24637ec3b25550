//! The principal type is [`ConnectionSeen`]: connections to one peer.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::series::Series;

/// The protocol of a connection, by its content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    Postgres,
    /// MySQL and MariaDB.
    Mysql,
    /// HTTP/1 in clear.
    Http,
    /// TLS, whatever is inside.
    Tls,
    FastCgi,
    Redis,
    Memcached,
    Dns,
    Syslog,
    /// Nothing was sent over it.
    Silent,
    #[default]
    Other,
}

/// Connections to one peer that the group's processes opened or used as clients.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConnectionSeen {
    pub group: usize,
    /// `10.0.0.5:9243`, `/run/mysqld/mysqld.sock`.
    pub peer: String,
    /// On this machine: a Unix socket or a loopback address.
    pub local: bool,
    pub protocol: Protocol,
    /// The name requested in TLS (SNI).
    pub server_name: Option<String>,
    /// The protocol inside TLS, if seen in clear before: a database's.
    pub inside: Option<Protocol>,
    /// Connections opened, with the time until establishment.
    pub opened: Counted,
    pub refused: Series,
    /// TLS handshakes, from the first hello to the first data.
    pub handshakes: Counted,
    /// Logins at a database, from the greeting until questions are possible. TLS hides them.
    pub logins: Counted,
    /// Turns from sending to receiving, with the time until the first byte came.
    pub exchanges: Counted,
    /// Exchanges over connections opened by an earlier request.
    pub reused: Series,
    /// Connections closed without a question, other than what opening one takes.
    pub unused: Series,
}

/// A DNS question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DnsSeen {
    pub group: usize,
    pub name: String,
    /// `A`, `AAAA`, …
    pub kind: String,
    pub server: String,
    /// With the time until the answer.
    pub counted: Counted,
}

impl Protocol {
    /// The name for prose; `None` for an unknown protocol.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Postgres => "PostgreSQL",
            Self::Mysql => "MySQL",
            Self::Http => "HTTP",
            Self::Tls => "TLS",
            Self::FastCgi => "FastCGI",
            Self::Redis => "Redis",
            Self::Memcached => "Memcached",
            Self::Dns => "DNS",
            Self::Syslog => "syslog",
            Self::Silent | Self::Other => return None,
        })
    }
}
