//! [`purge`]: tells a running `unladen serve`, at its admin address, what to forget.

mod spread;

use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use crate::admin::{Question, exchange, parts};

pub(crate) use spread::{Patience, Spread, Wait};

/// Most bytes of an answer, far above what one has.
const LONGEST: u64 = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Url(String),
    Prefix(String),
    Tag(String),
    All,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) what: What,
    /// Only in this site.
    pub(crate) site: Option<String>,
    /// Revalidate instead of removing.
    pub(crate) is_soft: bool,
    pub(crate) patience: Patience,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Purged {
    /// Responses at the node that was asked.
    pub(crate) purged: u64,
    /// `None` without a fleet.
    pub(crate) spread: Option<Spread>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum PurgeError {
    #[error(
        "{0} has no [admin], where it could be told: say listen = \"unix:/run/unladen/admin.sock\" there, or --admin"
    )]
    NoAdmin(String),
    #[error("{address}: {}", unreachable_in_words(source))]
    Unreachable { address: String, source: io::Error },
    #[error("{0}")]
    Refused(String),
    #[error("{address} is no admin address of `unladen serve`: what answers there is {answer}")]
    Unexpected { address: String, answer: String },
}

/// Purges at an admin `address`. Fails if nobody is there, or it is refused.
pub(crate) fn purge(address: &str, wish: &Wish, timeout: Duration) -> Result<Purged, PurgeError> {
    let body = wish.document().to_string();
    let question = Question { what: "POST /purge", body: &body, patience: timeout, longest: LONGEST };
    let answer = exchange(address, &question);
    read(address, &answer.map_err(|source| PurgeError::Unreachable { address: address.to_owned(), source })?)
}

/// The system reports a time-out as "would block".
fn unreachable_in_words(source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            "no answer in time, and whether anything was purged is not known; --timeout allows more".to_owned()
        }
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => {
            format!("{source}: nothing listens there; is `unladen serve` running, and is this its [admin] listen?")
        }
        io::ErrorKind::PermissionDenied => format!("{source}: run as the user of `unladen serve`, or as root"),
        _ => source.to_string(),
    }
}

fn read(address: &str, answer: &[u8]) -> Result<Purged, PurgeError> {
    let text = String::from_utf8_lossy(answer);
    let (head, status, body) = parts(&text);
    let mut document: Value = serde_json::from_str(body.trim()).unwrap_or_default();
    let spread = document.get_mut("fleet").map(Value::take).map(serde_json::from_value).transpose();
    match (status, document["purged"].as_u64(), document["error"].as_str()) {
        // 202: not all awaited nodes have confirmed.
        ("200" | "202", Some(purged), _) if let Ok(spread) = spread => Ok(Purged { purged, spread }),
        (_, _, Some(error)) => Err(PurgeError::Refused(error.to_owned())),
        _ => Err(PurgeError::Unexpected { address: address.to_owned(), answer: answerer(head) }),
    }
}

/// Describes who answered: a web server by its name and status, anything else by the beginning of its answer.
fn answerer(head: &str) -> String {
    let plain = |text: &str| -> String {
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(120).collect::<String>().trim().to_owned()
    };
    let Some(first) = head.lines().next().filter(|line| !line.is_empty()) else {
        return "nothing: the connection was closed without a word".to_owned();
    };
    let server = head.lines().skip(1).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("server").then(|| plain(value))
    });
    match (first.starts_with("HTTP/"), server) {
        (true, Some(server)) => format!("{server} ({})", plain(first)),
        (true, None) => format!("a web server ({})", plain(first)),
        (false, _) => format!("no web server: `{}`", plain(first)),
    }
}

impl Wish {
    fn document(&self) -> Value {
        let mut document = match &self.what {
            What::Url(url) => json!({ "url": url }),
            What::Prefix(prefix) => json!({ "prefix": prefix }),
            What::Tag(tag) => json!({ "tag": tag }),
            What::All => json!({ "all": true }),
        };
        if let Some(site) = &self.site {
            document["site"] = site.as_str().into();
        }
        if self.is_soft {
            document["soft"] = true.into();
        }
        if let Some(wait) = self.patience.wait {
            document["wait"] = wait.as_str().into();
        }
        if let Some(longest) = self.patience.longest {
            document["wait_for"] = longest.as_secs_f64().into();
        }
        document
    }
}

#[cfg(test)]
mod tests;
