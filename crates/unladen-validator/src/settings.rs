//! The principal type is [`ValidatorSettings`]: what to ask, and for which pages.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Serialize, Serializer};
use unladen_fleet::BusUrl;
use unladen_postgres::AddressError;

use crate::{PathPattern, PatternError};

/// What to ask, and for which pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValidatorSettings {
    /// The pages, as a [`PathPattern`](crate::PathPattern): `/{ref}`, `/list/{name}/archive/{page*}`.
    pub path: String,
    pub source: ValidatorSource,
    /// Longest wait for an answer, including the connection.
    pub timeout: Duration,
    /// Connections to the database, of each thread.
    pub connections: usize,
    /// Without an answer in time: how long ago a page may have last been known current to be served nevertheless;
    /// `None` to ask the application.
    pub stale: Option<Duration>,
    /// For PostgreSQL: notifications of changes, which replace questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<ListenSettings>,
    /// For a database that all nodes of a fleet ask: how they share its answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedSettings>,
}

/// How a PostgreSQL server notifies changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListenSettings {
    pub channel: String,
    /// Longest time for which a request may miss a change: a lost connection goes unnoticed this long at most.
    pub heartbeat: Duration,
}

/// How the nodes of a fleet share answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SharedSettings {
    pub within: Duration,
    /// Valkey or Redis. Neither display nor serialisation shows its password.
    pub url: BusUrl,
    /// The authorities (PEM) that verify its certificate; `None` for the system's.
    pub ca: Option<PathBuf>,
    /// Changes with that file.
    #[serde(skip)]
    pub stamp: u64,
    /// The fleet's name on the engine, …
    pub fleet: String,
    pub site: String,
}

/// A source. Neither display nor serialisation shows the URL's password.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidatorSource {
    /// A PostgreSQL server. A lagging replica reports changes late.
    Postgres {
        /// `postgres://user:secret@host:port/name?sslmode=…`, or `postgres://user@/name?host=/run/postgresql`. Without
        /// `sslmode`, a remote server is reached by TLS, and its certificate and name are checked (`verify-full`).
        #[serde(serialize_with = "public")]
        url: String,
        /// With `$1`, `$2` …: one statement that changes nothing. The first column of the first row is the version.
        query: String,
        /// Names in the path, in the order of the numbers.
        parameters: Vec<String>,
    },
    /// A MySQL or MariaDB server. A lagging replica reports changes late.
    MySql {
        /// `mysql://user:secret@host:port/name`, perhaps with `?socket=/run/mysqld/mysqld.sock`.
        #[serde(serialize_with = "public")]
        url: String,
        /// With `?`: one statement that changes nothing. The first column of the first row is the version.
        query: String,
        /// Names in the path, in the order of the question marks.
        parameters: Vec<String>,
    },
    Sqlite {
        file: PathBuf,
        /// With `?1`, `?2` …: one statement that changes nothing. The first column of the first row is the version.
        query: String,
        /// Names in the path, in the order of the numbers.
        parameters: Vec<String>,
    },
    File {
        /// Its path: `{name}` stands for the page path's value.
        path: String,
    },
    /// HEAD to the application: `ETag`, else `Last-Modified`. Asked by the owner of its connections, not here.
    Head,
}

impl ValidatorSettings {
    /// How long an outdated answer may be given; `None` for never.
    pub fn bound(&self) -> Option<Duration> {
        let told = self.listen.as_ref().map(|listen| listen.heartbeat);
        told.max(self.shared.as_ref().map(|shared| shared.within))
    }

    /// How long before a request a change may be that it does not see, with an answer or without; `None` for never.
    /// Without an answer, a page that an old one vouched for is served for [`ValidatorSettings::stale`] more.
    pub fn oldest(&self) -> Option<Duration> {
        match (self.bound(), self.stale) {
            (Some(bound), Some(stale)) => Some(bound.saturating_add(stale)),
            (bound, stale) => bound.or(stale),
        }
    }
}

// === impl ValidatorSource ===

impl ValidatorSource {
    /// Its location as in the configuration, without password: a URL, a file, or the application.
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

/// The URL's scheme and what follows the last `@`, without parameters: the rest may have a password.
fn masked(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
    let place = place.split_once('?').map_or(place, |(place, _)| place);
    format!("{scheme}://{place}")
}

/// Why a validator cannot have such settings. No message shows a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    #[error("path: {0}")]
    Path(#[from] PatternError),
    #[error("`{name}` is not one of the path's names ({names}): correct it, or add `{{{name}}}` to the path")]
    Name { name: String, names: String },
    #[error("the database's address: {0}")]
    Url(String),
    #[error("`shared`: {0}")]
    Valkey(String),
    #[error("TLS to the database: {0}")]
    Tls(String),
    #[error("the file's path: {0}")]
    File(String),
    #[error("{0}")]
    Number(&'static str),
}

impl From<AddressError> for SettingsError {
    fn from(error: AddressError) -> Self {
        match error {
            AddressError::Url(why) => Self::Url(why),
            AddressError::Tls(why) => Self::Tls(why),
            other => Self::Url(other.to_string()),
        }
    }
}

pub(crate) fn place(name: &str, pattern: &PathPattern) -> Result<usize, SettingsError> {
    pattern.names().iter().position(|other| other == name).ok_or_else(|| {
        let names = if pattern.names().is_empty() { "it has none".to_owned() } else { pattern.names().join(", ") };
        SettingsError::Name { name: name.to_owned(), names }
    })
}

#[cfg(test)]
mod tests;
