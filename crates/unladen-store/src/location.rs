//! The principal type is [`Location`]: where a store is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{env, fmt};

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// Where a store is. Its text form has no password.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file of SQLite. Empty for a user without a home, which cannot be opened.
    Sqlite(PathBuf),
    /// URL of a PostgreSQL server and its database, as for libpq, with `sslmode` as
    /// [`unladen_postgres::PostgresAddress`] reads it.
    Postgres(String),
}

/// Why a text is not a location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocationError {
    #[error("no store is named: write the path of a file, or postgres://USER@HOST/DATABASE")]
    Empty,
    #[error("`~` is not expanded in a store's path: write the path in full")]
    Tilde,
    /// libpq's notation `host=… password=…`, which would otherwise be taken as a file's name. Not shown, as it may have
    /// a password.
    #[error("settings such as host=… are not a store: write the path of a file, or postgres://USER@HOST/DATABASE")]
    Words,
    /// A URL of something else. Only its scheme is shown.
    #[error("{0}:// URLs are not supported: write the path of a file, or postgres://USER@HOST/DATABASE")]
    Scheme(String),
}

// === impl Location ===

impl Location {
    /// `unladen/runs.sqlite` in the state folder of the XDG base directory specification.
    fn usual(state: Option<OsString>, home: Option<PathBuf>) -> Self {
        // By the specification, relative paths are ignored.
        let state = state.map(PathBuf::from).filter(|state| state.is_absolute());
        let home = home.filter(|home| home.is_absolute()).map(|home| home.join(".local/state"));
        Self::Sqlite(state.or(home).map(|state| state.join("unladen/runs.sqlite")).unwrap_or_default())
    }
}

/// `$XDG_STATE_HOME/unladen/runs.sqlite`, or else `~/.local/state/unladen/runs.sqlite`.
impl Default for Location {
    fn default() -> Self {
        Self::usual(env::var_os("XDG_STATE_HOME"), env::home_dir())
    }
}

impl FromStr for Location {
    type Err = LocationError;

    fn from_str(text: &str) -> Result<Self, LocationError> {
        if text.is_empty() {
            return Err(LocationError::Empty);
        }
        if text == "~" || text.starts_with("~/") {
            return Err(LocationError::Tilde);
        }
        if text.split_ascii_whitespace().any(is_word_of_libpq) {
            return Err(LocationError::Words);
        }
        match text.split_once("://") {
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(text.to_owned())),
            Some((scheme, _)) if is_scheme(scheme) => Err(LocationError::Scheme(scheme.to_owned())),
            _ => Ok(Self::Sqlite(PathBuf::from(text))),
        }
    }
}

fn is_word_of_libpq(text: &str) -> bool {
    ["host=", "hostaddr=", "password=", "dbname=", "user="].iter().any(|word| text.starts_with(word))
}

fn is_scheme(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) && text.bytes().all(inner)
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) if path == Path::new("") => f.write_str("the home of a user who has none"),
            Self::Sqlite(path) => path.display().fmt(f),
            Self::Postgres(url) => f.write_str(&without_password(url)),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Location").field(&self.to_string()).finish()
    }
}

/// `postgres://USER@HOST:PORT/DATABASE`, built anew from the URL's parts: an unreadable URL may have its password
/// anywhere.
fn without_password(url: &str) -> String {
    // `sslmode` and `sslrootcert` are not for the client library, which would refuse the URL because of them.
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    // Text before an `@` in the query belongs to a password, and would be taken as a port.
    if query.contains('@') {
        return "postgres://…".to_owned();
    }
    let known = |pair: &&str| !pair.starts_with("sslmode=") && !pair.starts_with("sslrootcert=") && !pair.is_empty();
    let kept: Vec<&str> = query.split('&').filter(known).collect();
    let plain = if kept.is_empty() { address.to_owned() } else { format!("{address}?{}", kept.join("&")) };
    // So would text after an `@` in a password.
    if address.matches('@').count() > 1 {
        return "postgres://…".to_owned();
    }
    let Ok(config) = plain.parse::<Config>() else { return "postgres://…".to_owned() };
    let ports = config.get_ports();
    let port = |at: usize| ports.get(at).or(ports.first()).filter(|port| **port != 5432);
    let host = |(at, host): (usize, &Host)| {
        let name = match host {
            Host::Tcp(name) if name.contains(':') => format!("[{}]", name.trim_matches(['[', ']'])),
            Host::Tcp(name) => name.clone(),
            Host::Unix(folder) => folder.display().to_string(),
        };
        port(at).map_or(name.clone(), |port| format!("{name}:{port}"))
    };
    let hosts: Vec<String> = config.get_hosts().iter().enumerate().map(host).collect();
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let database = config.get_dbname().map(|name| format!("/{name}")).unwrap_or_default();
    format!("postgres://{user}{}{database}", hosts.join(","))
}

#[cfg(test)]
mod tests;
