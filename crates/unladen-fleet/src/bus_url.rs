//! The principal type is [`BusUrl`]: where an engine is, with its password, which it never shows.

use std::fmt;

use serde::{Serialize, Serializer};
use unladen_postgres::with_one_host;
use url::Url;

use crate::BusError;

/// Where an engine is. What it shows has no user, no password and no parameters, which may hold one.
#[derive(Clone, PartialEq, Eq)]
pub struct BusUrl {
    /// As it is written.
    text: String,
    /// With one host.
    url: Url,
    /// Of PostgreSQL, all hosts, where there is not just one.
    hosts: Option<String>,
}

/// Bytes of a URL, at most.
const LONGEST: usize = 4096;

// === impl BusUrl ===

impl BusUrl {
    /// Reads it.
    ///
    /// # Errors
    /// If it is no URL. The message does not repeat it: it may have a password.
    pub fn parse(text: &str) -> Result<Self, BusError> {
        if text.len() > LONGEST {
            return Err(BusError::Url(format!("the URL is longer than {LONGEST} bytes")));
        }
        let hint = "write it as `valkey://user:password@host:6379/0`, with `%40` for an `@` in the password";
        let (one, hosts) = with_one_host(text);
        let read = |text: &str| {
            Url::parse(text).map_err(|error| BusError::Url(format!("the URL cannot be read ({error}): {hint}")))
        };
        let url = read(&one)?;
        for host in hosts.iter().flat_map(|hosts| hosts.split(',')).filter(|host| !host.is_empty()) {
            read(&format!("{}://{host}", url.scheme()))?;
        }
        // An `@` after the host is the end of a password whose `/`, `?` or `#` ended the host: what is taken for a path
        // would be shown.
        let of_password = |query: &str| query.split('@').next().is_some_and(|before| !before.contains('='));
        let is_cut = url.path().contains('@')
            || url.fragment().is_some()
            || url.query().is_some_and(|query| query.contains('@') && of_password(query));
        if is_cut {
            return Err(BusError::Url(
                "the URL has an `@` after a `/`, or a `#`: in a password, write `%2F` for `/`, `%3F` for `?`, `%23` \
                 for `#` and `%40` for `@`"
                    .to_owned(),
            ));
        }
        let (text, hosts) = (if hosts.is_some() { text } else { url.as_str() }.to_owned(), hosts.map(str::to_owned));
        Ok(Self { text, url, hosts })
    }

    /// All of it, with its secrets.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What it begins with.
    pub fn scheme(&self) -> &str {
        self.url.scheme()
    }

    /// The host, if it names one.
    pub fn host(&self) -> Option<&str> {
        self.url.host_str().filter(|host| !host.is_empty())
    }

    /// The port, if it names one.
    pub fn port(&self) -> Option<u16> {
        self.url.port()
    }

    /// What comes after the host, with its slash.
    pub fn path(&self) -> &str {
        self.url.path()
    }

    /// What comes after `?`.
    pub fn query(&self) -> Option<&str> {
        self.url.query()
    }

    /// Whether it is the number of a database, or the name of one of PostgreSQL.
    fn is_database(&self, path: &str) -> bool {
        let name = path.strip_prefix('/').unwrap_or(path);
        let is_number = name.len() <= 3 && name.bytes().all(|byte| byte.is_ascii_digit());
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        is_number || self.scheme().starts_with("postgres") && name.len() <= 63 && name.bytes().all(is_name)
    }

    /// User and password, as bytes.
    pub fn credentials(&self) -> (Vec<u8>, Option<Vec<u8>>) {
        (decoded(self.url.username()), self.url.password().map(decoded))
    }
}

/// As it is shown.
impl Serialize for BusUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for BusUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hosts {
            Some(hosts) => write!(f, "{}://{hosts}", self.url.scheme())?,
            None => write!(f, "{}://{}", self.url.scheme(), self.url.host_str().unwrap_or_default())?,
        }
        if let (Some(port), None) = (self.url.port(), &self.hosts) {
            write!(f, ":{port}")?;
        }
        match self.url.path() {
            "" | "/" => Ok(()),
            path if self.is_database(path) => f.write_str(path),
            // Not all of a password that was meant otherwise.
            _ => f.write_str("/…"),
        }
    }
}

impl fmt::Debug for BusUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// With each `%` and two digits as the byte that they mean.
fn decoded(text: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        let digit = |at: usize| after.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        rest = match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push(u8::try_from(high << 4 | low).unwrap_or(b'%'));
                after.get(2..).unwrap_or_default()
            }
            _ => {
                decoded.push(*byte);
                after
            }
        };
    }
    decoded
}

#[cfg(test)]
mod tests;
