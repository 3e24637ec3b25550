//! The principal type is [`BusUrl`]: where an engine is, with its password, which it never shows.

use std::fmt;

use serde::{Serialize, Serializer};
use url::Url;

use crate::BusError;

/// Where an engine is. What it shows has no user, no password and no parameters, which may hold one.
#[derive(Clone, PartialEq, Eq)]
pub struct BusUrl {
    url: Url,
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
        let url =
            Url::parse(text).map_err(|error| BusError::Url(format!("the URL cannot be read ({error}): {hint}")))?;
        Ok(Self { url })
    }

    /// All of it, with its secrets.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
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
        write!(f, "{}://{}", self.url.scheme(), self.url.host_str().unwrap_or_default())?;
        if let Some(port) = self.url.port() {
            write!(f, ":{port}")?;
        }
        let path = self.url.path();
        if path == "/" { Ok(()) } else { f.write_str(path) }
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
mod tests {
    use super::*;

    #[test]
    fn it_shows_no_secret() {
        let url = BusUrl::parse("valkeys://me:s%40cret@cache.example:6380/2?password=s3cret").unwrap();
        assert_eq!(url.to_string(), "valkeys://cache.example:6380/2");
        assert!(!format!("{url:?}").contains("cret"));
        assert_eq!(url.credentials(), (b"me".to_vec(), Some(b"s@cret".to_vec())));
    }

    #[test]
    fn a_message_about_a_url_has_no_secret() {
        let error = BusUrl::parse("valkey://me:secret@host:port/").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
