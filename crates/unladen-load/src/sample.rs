//! The principal type is [`Sample`]: one response as far as it can be shown.

use std::fmt::{self, Write};
use std::io::Read;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::{HeaderMap, StatusCode, Version, header};

use crate::exchange::Exchange;
use crate::expect::Statuses;

/// One response: its whole head and up to 4 KiB of its body.
///
/// Displayed as it came, with control characters made visible so that a server cannot write to the terminal.
#[derive(Clone, Debug)]
pub struct Sample {
    pub request: String,
    pub exchange: Exchange,
    pub version: Version,
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// First bytes of the body, at most 4,096 unless more were requested, as sent (compressed, if it was).
    pub body_start: Bytes,
}

// === impl Sample ===

impl Sample {
    /// Target of a redirect, if it is text.
    pub fn location(&self) -> Option<&str> {
        self.headers.get(header::LOCATION).filter(|_| self.status.is_redirection())?.to_str().ok()
    }

    /// Content coding in lower case, such as `gzip`; `None` if there is none.
    pub fn coding(&self) -> Option<String> {
        coding(&self.headers)
    }

    /// The kept part of the body, unpacked; `None` for other codings than gzip.
    pub fn unpacked(&self) -> Option<Unpacked> {
        Unpacked::of(self.coding().as_deref(), &self.body_start, self.is_all_kept())
    }

    pub(crate) fn is_all_kept(&self) -> bool {
        self.body_start.len() as u64 >= self.exchange.body_bytes
    }

    /// Header that shows that a cache answered, such as `Age: 30`. An answer of the origin itself has no `Age` (RFC
    /// 9111, section 5.1).
    pub fn from_cache(&self) -> Option<String> {
        let said = |name: &'static str| {
            let value = self.headers.get(name)?.to_str().ok()?;
            let words = || value.split(|letter: char| !letter.is_ascii_alphanumeric());
            let is_hit = match name {
                // Some caches send 0 for what they have just fetched.
                "Age" => value.trim().parse().is_ok_and(|age: u64| age > 0),
                // On a hit Varnish also names the request that stored the answer.
                "X-Varnish" => words().filter(|word| !word.is_empty()).count() == 2,
                _ => words().any(|word| word.eq_ignore_ascii_case("hit")),
            };
            is_hit.then(|| format!("{name}: {}", visible(value).trim()))
        };
        CACHES.into_iter().find_map(said)
    }

    /// Whether the URL is that of a login page.
    pub fn is_of_login(url: &str) -> bool {
        !login(url).is_empty()
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?} {}", self.version, self.status)?;
        for (name, value) in &self.headers {
            writeln!(f, "{name}: {}", visible(&String::from_utf8_lossy(value.as_bytes())))?;
        }
        let shown = self.body_start.len() as u64;
        if shown > 0 {
            writeln!(f, "\n{}", visible(&String::from_utf8_lossy(&self.body_start)))?;
        }
        if shown < self.exchange.body_bytes {
            writeln!(f, "… and {} more bytes", self.exchange.body_bytes - shown)?;
        }
        Ok(())
    }
}

/// Escapes control characters except line breaks and tabs.
fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => visible.push(character),
            '\r' => {}
            _ if character.is_control() => {
                // Writing to a String does not fail.
                let _ = write!(visible, "{}", character.escape_unicode());
            }
            _ => visible.push(character),
        }
    }
    visible
}

/// Headers of caches: RFC 9111 and 9211, then those of proxies and networks.
const CACHES: [&str; 8] = [
    "Cache-Status",
    "X-Cache",
    "X-Cache-Status",
    "X-Proxy-Cache",
    "CF-Cache-Status",
    "X-Litespeed-Cache",
    "X-Varnish",
    "Age",
];

const LOGIN: [&str; 9] = ["login", "userlogin", "signin", "logon", "auth", "authorize", "oauth2", "sso", "saml2"];
/// Login words in two parts: `/sign_in`, `/log-on`.
const LOGIN_OF_TWO: [[&str; 2]; 3] = [["sign", "in"], ["log", "in"], ["log", "on"]];

fn login(location: &str) -> &'static str {
    let location = location.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let path = match location.split_once("//") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
        None => &location,
    };
    let words: Vec<&str> = path.split(|letter: char| !letter.is_alphanumeric()).collect();
    let asks = words.iter().any(|word| LOGIN.contains(word))
        || words.windows(2).any(|two| LOGIN_OF_TWO.iter().any(|known| two == known.as_slice()));
    if asks { ", send the cookie of a logged-in user (-b 'NAME=VALUE')" } else { "" }
}

pub(crate) fn unexpected(sample: &Sample, expected: &Statuses) -> String {
    let Sample { request, status, .. } = sample;
    let next = match (sample.location(), status.as_u16()) {
        (Some(location), _) => {
            format!(
                "it redirects to {}, but redirects are not followed: use that URL{}, or accept the status with \
                --expect-status {}",
                visible(location),
                login(location),
                status.as_u16()
            )
        }
        (None, 400) => "correct the request: its Host header, or https instead of http".to_owned(),
        (None, 401 | 403) => {
            "add the login (-u USER:PASSWORD), header (-H) or cookie (-b) of a user who may see it".to_owned()
        }
        (None, 404) => "check the path, and the Host header if the server has several sites".to_owned(),
        (None, 429) => "the server limits the requests of one client: send fewer at once, or more slowly".to_owned(),
        (None, 503) => "the server cannot serve it now: it may be overloaded, in maintenance, or without a backend; \
             the response and its error log show which"
            .to_owned(),
        (None, 502 | 504) => "the server's own backend failed or was late: see its error log".to_owned(),
        (None, 500..) => "see the server's error log".to_owned(),
        (None, _) => "correct the request, or accept the status with --expect-status".to_owned(),
    };
    format!("{request} was answered {status}, expected {expected}: {next}")
}

/// Maximum bytes unpacked: pages are smaller, and other content need not be compared with one.
pub(crate) const MOST: usize = 4 << 20;

/// The kept part of a body, without its coding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    pub content: Bytes,
    pub is_whole: bool,
}

/// Content codings of a body in lower case, joined by commas; `None` if there is none.
pub(crate) fn coding(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(header::CONTENT_ENCODING).iter();
    let all: Vec<String> =
        lines.map(|line| String::from_utf8_lossy(line.as_bytes().trim_ascii()).to_lowercase()).collect();
    Some(all.join(", ")).filter(|coding| !coding.is_empty() && coding != "identity")
}

impl Unpacked {
    /// Unpacks a body, or its beginning; `None` for other codings than gzip.
    pub(crate) fn of(coding: Option<&str>, body: &Bytes, is_all: bool) -> Option<Self> {
        match coding {
            None => Some(Self { content: body.clone(), is_whole: is_all }),
            // An answer without a body may still name a coding.
            Some(_) if body.is_empty() => Some(Self { content: Bytes::new(), is_whole: is_all }),
            Some("gzip" | "x-gzip") => {
                let mut content = Vec::new();
                // Bytes before an error, or the end of the kept part, stay in it.
                let read = MultiGzDecoder::new(&body[..]).take(MOST as u64 + 1).read_to_end(&mut content);
                let is_whole = is_all && read.is_ok() && content.len() <= MOST;
                content.truncate(MOST);
                Some(Self { content: content.into(), is_whole })
            }
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
