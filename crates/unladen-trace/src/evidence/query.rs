//! The principal type is [`QuerySeen`].

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::series::Series;

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
