//! The principal type is [`ConnectionSeen`]: connections to one peer; [`QuerySeen`] is a statement asked over one, and
//! [`PathSeen`] other stations of the request.

use serde::{Deserialize, Serialize};

use crate::series::{Counted, Series};

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

/// A request's known path beside the groups.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathSeen {
    /// Peers that were asked for the request, and cannot be examined.
    pub beyond: Vec<PeerSeen>,
    pub unknown: Option<PathUnknown>,
}

/// A peer that was asked, and cannot be examined.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PeerSeen {
    /// `10.0.0.5:5432`
    pub peer: String,
    pub protocol: Protocol,
    pub why: Unseen,
}

/// Why a peer cannot be examined. Older recordings contain the words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unseen {
    /// Nobody listens there in this machine's own network.
    #[default]
    #[serde(alias = "no process on this machine's own network listens there: it is on another host, or in a \
        container's network")]
    Elsewhere,
    /// The listener may not be examined.
    #[serde(alias = "the process that listens there is hidden from this user")]
    Hidden,
    /// No address leads there.
    #[serde(alias = "the request was passed over an unnamed socket")]
    Nameless,
    /// Others were followed.
    #[serde(alias = "there are more servers than can be followed")]
    TooMany,
}

/// Why a path is unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathUnknown {
    pub why: String,
    /// What would help; empty if nothing does.
    pub takes: String,
}

impl Unseen {
    /// Parses its half of a sentence.
    pub fn named(text: &str) -> Option<Self> {
        [Self::Elsewhere, Self::Hidden, Self::Nameless, Self::TooMany]
            .into_iter()
            .find(|unseen| unseen.as_str() == text)
    }

    /// Half a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Elsewhere => {
                "no process on this machine's own network listens there: it is on another host, or in a container's \
                 network"
            }
            Self::Hidden => "the process that listens there is hidden from this user",
            Self::Nameless => "the request was passed over an unnamed socket",
            Self::TooMany => "there are more servers than can be followed",
        }
    }
}

/// An SQL statement, by its fingerprint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuerySeen {
    pub group: usize,
    /// The connection's peer, or the SQLite library.
    pub database: String,
    pub protocol: QueryProtocol,
    /// Text with literals as `?` and lists collapsed.
    pub fingerprint: String,
    /// One of its texts, cut.
    pub example: String,
    pub writes: bool,
    /// With the time until its answer began (SQLite: all of its steps).
    pub counted: Counted,
    /// Separate preparations, with the time until their answer. Executions are counted above.
    pub prepares: Counted,
    /// Repetitions of the same text with the same values in one request.
    pub identical: Series,
    /// Number of different texts in a request, summed over the requests.
    pub distinct: Series,
    /// Rows returned, if visible.
    pub rows: Option<Series>,
}

/// Where a statement was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryProtocol {
    #[default]
    Postgres,
    /// On the wire to MySQL or MariaDB.
    Mysql,
    /// In SQLite's library.
    Sqlite,
}
