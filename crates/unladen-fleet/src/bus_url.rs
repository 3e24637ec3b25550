//! The principal type is [`BusUrl`]: address and password of an engine; never displays the password.

use std::fmt;

use serde::{Serialize, Serializer};
use unladen_postgres::with_one_host;
use url::Url;

use crate::BusError;

/// Address of an engine. Displayed without user, password and parameters, which may hold one.
#[derive(Clone, PartialEq, Eq)]
pub struct BusUrl {
    /// As written.
    text: String,
    /// With one host.
    url: Url,
    /// All hosts, if a PostgreSQL URL has several.
    hosts: Option<String>,
}

const LONGEST: usize = 4096;

// === impl BusUrl ===

impl BusUrl {
    /// Parses it.
    ///
    /// # Errors
    /// If it is no URL. The message does not repeat it, as it may have a password.
    pub fn parse(text: &str) -> Result<Self, BusError> {
        if text.len() > LONGEST {
            return Err(BusError::Url(format!("the URL is longer than {LONGEST} bytes")));
        }
        let hint = "write it as `valkey://user:password@host:6379/0`, with `%40` for an `@` in the password";
        let (one, hosts) = with_one_host(text);
        let read = |text: &str| {
            Url::parse(text).map_err(|error| BusError::Url(format!("the URL is invalid ({error}): {hint}")))
        };
        let url = read(&one)?;
        for host in hosts.iter().flat_map(|hosts| hosts.split(',')).filter(|host| !host.is_empty()) {
            read(&format!("{}://{host}", url.scheme()))?;
        }
        // An `@` after the host ends a password whose `/`, `?` or `#` ended the host: the rest, taken for a path, would
        // be displayed.
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

    /// The whole URL, with its secrets.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its scheme.
    pub fn scheme(&self) -> &str {
        self.url.scheme()
    }

    /// The host, if there is one.
    pub fn host(&self) -> Option<&str> {
        self.url.host_str().filter(|host| !host.is_empty())
    }

    /// The port, if there is one.
    pub fn port(&self) -> Option<u16> {
        self.url.port()
    }

    /// Path with its slash.
    pub fn path(&self) -> &str {
        self.url.path()
    }

    /// Query after `?`.
    pub fn query(&self) -> Option<&str> {
        self.url.query()
    }

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
            // Not a part of a misplaced password.
            _ => f.write_str("/…"),
        }
    }
}

impl fmt::Debug for BusUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

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
