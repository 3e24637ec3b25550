//! The principal type is [`ConnectionSeen`]: connections to one peer.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::series::Series;

/// What is spoken over a connection, by its content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// PostgreSQL.
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
    /// Log lines.
    Syslog,
    /// Nothing was sent over it.
    Silent,
    /// Something else.
    #[default]
    Other,
}

/// Connections to one peer that the group's processes opened or used as clients.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConnectionSeen {
    /// Index of the group.
    pub group: usize,
    /// `10.0.0.5:9243`, `/run/mysqld/mysqld.sock`.
    pub peer: String,
    /// Whether it is on this machine: a Unix socket or a loopback address.
    pub local: bool,
    /// What is spoken.
    pub protocol: Protocol,
    /// The name asked for in TLS (SNI), if any.
    pub server_name: Option<String>,
    /// What is spoken inside TLS, where that was told in clear before: a database's.
    pub inside: Option<Protocol>,
    /// Connections opened, and the time until they stood.
    pub opened: Counted,
    /// Attempts that failed.
    pub refused: Series,
    /// TLS handshakes, and their time: from the first hello to the first data.
    pub handshakes: Counted,
    /// Logins at a database, and the time from the greeting until something could be asked. TLS is not looked into.
    pub logins: Counted,
    /// Requests and answers over it: turns from sending to receiving, and the time until the first byte came.
    pub exchanges: Counted,
    /// Exchanges over connections that an earlier request had opened.
    pub reused: Series,
    /// Connections closed over which nothing was asked, but for what opening one takes.
    pub unused: Series,
}

/// A question asked of the DNS.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DnsSeen {
    /// Index of the group.
    pub group: usize,
    pub name: String,
    /// `A`, `AAAA`, …
    pub kind: String,
    /// Of whom it was asked.
    pub server: String,
    /// How often, and the time until the answer.
    pub counted: Counted,
}

impl Protocol {
    /// As it is called in prose; none where it is not known what is spoken.
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
