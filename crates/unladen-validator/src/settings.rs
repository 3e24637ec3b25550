//! The principal type is [`ValidatorSettings`]: what to ask, and for which pages.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Serialize, Serializer};
use unladen_fleet::BusUrl;

/// What to ask, and for which pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValidatorSettings {
    /// The pages, as [`PathPattern`](crate::PathPattern) reads it: `/{ref}`, `/list/{name}/archive/{page*}`.
    pub path: String,
    /// Whom to ask.
    pub source: ValidatorSource,
    /// How long an answer may take, a connection included.
    pub timeout: Duration,
    /// Connections to the database, of each thread.
    pub connections: usize,
    /// If there is no answer in time: how old (since it was last known to be current) a page may be that is served all
    /// the same; none: the application is asked.
    pub stale: Option<Duration>,
    /// Of PostgreSQL: what tells of changes, so that nothing is asked meanwhile; none: everything is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<ListenSettings>,
    /// Of a database that all nodes of a fleet ask: how they share its answers; none: each asks for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedSettings>,
}

/// What a PostgreSQL server tells of changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListenSettings {
    /// The channel that is notified.
    pub channel: String,
    /// A request never gets what was changed longer ago than this: so long at most, nobody notices that the connection
    /// is lost.
    pub heartbeat: Duration,
}

/// How the nodes of a fleet share answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SharedSettings {
    /// How old an answer may be.
    pub within: Duration,
    /// Valkey or Redis. Neither shown nor written does it tell its password.
    pub url: BusUrl,
    /// The authorities (PEM) that verify its certificate; none: the system's.
    pub ca: Option<PathBuf>,
    /// Another number when that file is another.
    #[serde(skip)]
    pub stamp: u64,
    /// Which fleet of those on the engine it is, …
    pub fleet: String,
    pub site: String,
}

/// Whom to ask. Neither shown nor written does it tell the URL's password.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidatorSource {
    /// A PostgreSQL server. A replica that lags behind tells of a change that late.
    Postgres {
        /// `postgres://user:secret@host:port/name?sslmode=…`, or `postgres://user@/name?host=/run/postgresql`. Without
        /// `sslmode`, a server elsewhere is spoken to by TLS, and its certificate and name are checked (`verify-full`).
        #[serde(serialize_with = "public")]
        url: String,
        /// With `$1`, `$2` …: one statement that changes nothing. The first column of the first row is the version.
        query: String,
        /// Names of the path, in the order of the numbers.
        parameters: Vec<String>,
    },
    /// A MySQL or MariaDB server. A replica that lags behind tells of a change that late.
    MySql {
        /// `mysql://user:secret@host:port/name`, with `?socket=/run/mysqld/mysqld.sock`, say.
        #[serde(serialize_with = "public")]
        url: String,
        /// With `?`: one statement that changes nothing. The first column of the first row is the version.
        query: String,
        /// Names of the path, in the order of the question marks.
        parameters: Vec<String>,
    },
    /// A database of SQLite.
    Sqlite {
        file: PathBuf,
        /// With `?1`, `?2` …: one statement that changes nothing. The first column of the first row is the version.
        query: String,
        /// Names of the path, in the order of the numbers.
        parameters: Vec<String>,
    },
    /// A file whose time of change is asked for.
    File {
        /// Its path: `{name}` stands for what the page's path has there.
        path: String,
    },
    /// HEAD to the application: `ETag`, else `Last-Modified`. Asked by whoever has connections to it, not here.
    Head,
}

impl ValidatorSettings {
    /// For how long an answer may be given after it is another; none: never.
    pub fn bound(&self) -> Option<Duration> {
        let told = self.listen.as_ref().map(|listen| listen.heartbeat);
        told.max(self.shared.as_ref().map(|shared| shared.within))
    }

    /// How long before a request a page may have been changed that it gets all the same, with an answer or without; none:
    /// never. Where there is no answer, what an old one vouched for is served for [`ValidatorSettings::stale`] more.
    pub fn oldest(&self) -> Option<Duration> {
        match (self.bound(), self.stale) {
            (Some(bound), Some(stale)) => Some(bound.saturating_add(stale)),
            (bound, stale) => bound.or(stale),
        }
    }
}

// === impl ValidatorSource ===

impl ValidatorSource {
    /// Where it is, as in the configuration but for a password: a URL, a file, or the application.
    pub fn place(&self) -> String {
        match self {
            Self::Postgres { url, .. } | Self::MySql { url, .. } => masked(url),
            Self::Sqlite { file, .. } => format!("sqlite:{}", file.display()),
            Self::File { path } => path.clone(),
            Self::Head => "the application".to_owned(),
        }
    }
}

impl fmt::Debug for ValidatorSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Postgres { url, query, .. } => {
                formatter.debug_tuple("Postgres").field(&masked(url)).field(query).finish()
            }
            Self::MySql { url, query, .. } => formatter.debug_tuple("MySql").field(&masked(url)).field(query).finish(),
            Self::Sqlite { file, query, .. } => formatter.debug_tuple("Sqlite").field(file).field(query).finish(),
            Self::File { path } => formatter.debug_tuple("File").field(path).finish(),
            Self::Head => formatter.write_str("Head"),
        }
    }
}

fn public<S: Serializer>(url: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&masked(url))
}

/// The URL's scheme and what follows the last `@`, without parameters: a password may be in either of the rest.
fn masked(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
    let place = place.split_once('?').map_or(place, |(place, _)| place);
    format!("{scheme}://{place}")
}

#[cfg(test)]
mod tests;
