//! The principal function is [`carried`]: what a request carries besides its method and URL, needed to send it again.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use unladen_load::{ConnectTo, DriverConfig, HttpVersion, Request, Roots, Statuses};
use unladen_trace::{BodyCarried, Carried, HeaderCarried, OptionCarried};

/// Longest body that is printed, in bytes.
const LONGEST_BODY: usize = 1_000;

/// Parts of the names of headers whose values may be secrets.
const SECRET_HEADERS: [&str; 10] =
    ["auth", "cookie", "token", "secret", "key", "session", "passw", "credential", "csrf", "signature"];
/// Parts of bodies that may hold a secret.
const SECRET_BODIES: [&str; 10] =
    ["pass", "pwd", "secret", "token", "key", "session", "auth", "csrf", "credential", "pin="];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secrets {
    /// For output and what is kept.
    LeftOut,
    /// For a file that its owner alone may read.
    Kept,
}

pub(crate) fn carried(request: &Request, driver: &DriverConfig, secrets: Secrets) -> Carried {
    let body = request.body();
    Carried {
        headers: request
            .given_headers()
            .map(|(name, value)| header(name.as_str(), value.as_bytes(), secrets))
            .collect(),
        body: (!body.is_empty())
            .then(|| BodyCarried { bytes: body.len() as u64, text: text_of(body, secrets).map(str::to_owned) }),
        options: options(driver),
    }
}

pub(crate) fn is_secret(name: &str) -> bool {
    SECRET_HEADERS.iter().any(|part| name.to_ascii_lowercase().contains(part))
}

/// A login by HTTP's Basic scheme, as curl's -u sends it (RFC 7617).
pub(crate) fn basic(login: &[u8]) -> String {
    format!("Authorization: Basic {}", BASE64_STANDARD.encode(login))
}

fn header(name: &str, value: &[u8], secrets: Secrets) -> HeaderCarried {
    let is_shown = secrets == Secrets::Kept || !is_secret(name);
    let value = std::str::from_utf8(value).ok().filter(|_| is_shown);
    HeaderCarried { name: name.to_owned(), value: value.map(str::to_owned) }
}

fn text_of(body: &[u8], secrets: Secrets) -> Option<&str> {
    let text = std::str::from_utf8(body).ok()?;
    let is_harmless = || {
        let lower = text.to_lowercase();
        text.len() <= LONGEST_BODY && !SECRET_BODIES.iter().any(|part| lower.contains(part))
    };
    (secrets == Secrets::Kept || is_harmless()).then_some(text)
}

fn options(driver: &DriverConfig) -> Vec<OptionCarried> {
    let usual = DriverConfig::new(Vec::new());
    let mut options = Vec::new();
    let mut option = |name: &str, value: Option<String>| {
        options.push(OptionCarried { name: name.to_owned(), value });
    };
    match &driver.connect_to {
        Some(ConnectTo::Unix(path)) => option("--unix-socket", Some(path.display().to_string())),
        Some(ConnectTo::Address(address)) => option("--connect-to", Some(address.to_string())),
        None => {}
    }
    if !driver.keep_alive {
        option("--no-keepalive", None);
    }
    if !driver.keep_cookies {
        option("--no-cookies", None);
    }
    match driver.http {
        HttpVersion::Auto => {}
        HttpVersion::Http1 => option("--http", Some("1.1".into())),
        HttpVersion::Http2 => option("--http", Some("2".into())),
    }
    if driver.timeout != usual.timeout {
        option("--timeout", Some(format!("{}ms", driver.timeout.as_millis().max(1))));
    }
    if driver.tls.insecure {
        option("--insecure", None);
    }
    if let Roots::Only(file) = &driver.tls.roots {
        // An experiment's file may be in another folder.
        let whole = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        option("--cacert", Some(whole.display().to_string()));
    }
    if let Some(identity) = &driver.tls.identity {
        option("--cert", Some(identity.certificate.display().to_string()));
        if let Some(key) = &identity.key {
            option("--key", Some(key.display().to_string()));
        }
    }
    if driver.expect.statuses != Statuses::default() {
        option("--expect-status", Some(driver.expect.statuses.to_string()));
    }
    if driver.expect.same {
        option("--expect-same", None);
    }
    options
}

#[cfg(test)]
mod tests;
