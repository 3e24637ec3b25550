//! The principal type is [`QuerySeen`]: a statement of SQL, by its fingerprint.

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::series::Series;

/// A statement, by its fingerprint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuerySeen {
    /// Index of the group that asks.
    pub group: usize,
    /// Of whom: the connection's peer, or the SQLite library.
    pub database: String,
    /// How it was seen.
    pub protocol: QueryProtocol,
    /// The text with literals as `?` and lists collapsed.
    pub fingerprint: String,
    /// One of its texts, cut.
    pub example: String,
    /// Whether it changes data.
    pub writes: bool,
    /// How often, and the time until its answer began (SQLite: all of its steps).
    pub counted: Counted,
    /// How often it was prepared by a question of its own, and the time until the answer to that. The executions are
    /// counted above.
    pub prepares: Counted,
    /// How often the very same text with the very same values came again in one request.
    pub identical: Series,
    /// How many different texts there were in a request, summed over the requests.
    pub distinct: Series,
    /// Rows that came back, where they are seen.
    pub rows: Option<Series>,
}

/// How a statement was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryProtocol {
    /// On the wire to PostgreSQL.
    #[default]
    Postgres,
    /// On the wire to MySQL or MariaDB.
    Mysql,
    /// In SQLite's library.
    Sqlite,
}
