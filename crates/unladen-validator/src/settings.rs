//! The principal type is [`ValidatorSettings`]: what to ask, and for which pages.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

/// What to ask, and for which pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValidatorSettings {
    /// The pages, as [`PathPattern`](crate::PathPattern) reads it: `/{ref}`, `/list/{name}/archive/{page*}`.
    pub path: String,
    pub source: Source,
    /// How long an answer may take, a connection included.
    pub timeout: Duration,
    /// Connections to the database, of each thread.
    pub connections: usize,
    /// If there is no answer in time: how old (since it was last known to be current) a page may be that is served all the same; none:
    /// the application is asked.
    pub stale: Option<Duration>,
}

/// Whom to ask.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// `postgres://user:secret@host:port/name?sslmode=…&host=/run/postgresql`, and a query with `$1`, `$2` … for the names of the
    /// path, in the order of `parameters`.
    Postgres { url: String, query: String, parameters: Vec<String> },
    /// `mysql://…`, and a query with `?`, in the order of `parameters`.
    MySql { url: String, query: String, parameters: Vec<String> },
    /// A file of SQLite.
    Sqlite { file: PathBuf, query: String, parameters: Vec<String> },
    /// A file whose time of change is asked for: `{name}` stands for what the path has there.
    File { path: String },
    /// HEAD to the application: `ETag`, else `Last-Modified`. Asked by whoever has connections to it, not here.
    Head,
}
