//! [`purge`]: tells a running `unladen serve`, at its admin address, what to forget; [`Spread`] is where that went in a
//! fleet.

use std::fmt::Write;
use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::admin::{Question, exchange, parts};

/// Most bytes of an answer, far above what one has.
const LONGEST: u64 = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// A `url`, a `prefix` or a `tag`, and which.
    Named(&'static str, String),
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
    #[error("{0} has no [admin] address: set listen = \"unix:/run/unladen/admin.sock\" there, or use --admin")]
    NoAdmin(String),
    #[error("{address}: {}", unreachable_in_words(source))]
    Unreachable { address: String, source: io::Error },
    #[error("{0}")]
    Refused(String),
    #[error("{address} is not an admin address of `unladen serve`: it is {answer}")]
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
            "no answer in time; it is not known whether anything was purged; --timeout waits longer".to_owned()
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
        return "silent: the connection was closed without an answer".to_owned();
    };
    let server = head.lines().skip(1).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("server").then(|| plain(value))
    });
    match (first.starts_with("HTTP/"), server) {
        (true, Some(server)) => format!("{server} ({})", plain(first)),
        (true, None) => format!("a web server ({})", plain(first)),
        (false, _) => format!("not a web server: `{}`", plain(first)),
    }
}

impl Wish {
    fn document(&self) -> Value {
        let mut document = match &self.what {
            What::Named(kind, name) => json!({ *kind: name }),
            What::All => json!({ "all": true }),
        };
        if let Some(site) = &self.site {
            document["site"] = site.as_str().into();
        }
        if self.is_soft {
            document["soft"] = true.into();
        }
        if let Some(wait) = self.patience.wait {
            document["wait"] = wait.into_str().into();
        }
        if let Some(longest) = self.patience.longest {
            document["wait_for"] = longest.as_secs_f64().into();
        }
        document
    }
}

/// Most nodes that are listed.
const MOST: usize = 10_000;
/// Most characters of another process's text.
const LONGEST_TEXT: usize = 200;

/// Who has to have confirmed before the answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum Wait {
    /// All nodes that are in the fleet.
    All,
    /// More than half of them.
    Quorum,
    /// None: it is on its way.
    None,
}

/// How long to wait for a fleet; the fleet's configuration has the defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Patience {
    pub(crate) wait: Option<Wait>,
    pub(crate) longest: Option<Duration>,
}

#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub(crate) struct Spread {
    /// Whom it was to wait for.
    pub(crate) wait: String,
    /// Whether all of those have confirmed, or it had to wait for none and the bus has the purge.
    pub(crate) confirmed: bool,
    /// From the request until confirmed, or until it stopped waiting.
    #[serde(default)]
    pub(crate) took_ms: f64,
    /// Its place on the bus; `None` while the bus has not accepted it.
    #[serde(default)]
    pub(crate) written: Option<String>,
    #[serde(default)]
    pub(crate) nodes: Vec<Node>,
    #[serde(default)]
    pub(crate) why: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub(crate) struct Node {
    pub(crate) node: String,
    /// From the request until the node was known to have purged; `None`: it is not.
    #[serde(default)]
    pub(crate) confirmed_ms: Option<f64>,
    /// Its lease expired meanwhile: it revalidates what it stores until it has caught up.
    #[serde(default)]
    pub(crate) left: bool,
}

impl Spread {
    pub(crate) fn summary(&self) -> String {
        let all = self.nodes.len();
        let confirmed = self.nodes.iter().filter(|node| node.confirmed_ms.is_some()).count();
        let left = self.nodes.iter().filter(|node| node.confirmed_ms.is_none() && node.left).count();
        let left = if left > 0 { format!(", {left} left the fleet") } else { String::new() };
        let why = self.why.as_deref().map(|why| format!(": {}", plain(why))).unwrap_or_default();
        let (ms, wait) = (self.took_ms, plain(&self.wait));
        match (self.written.is_some(), self.confirmed) {
            (false, _) => format!("this node has purged it; the bus does not have it yet{why}"),
            (true, true) if self.wait == "none" => "the bus has it; no node was waited for".to_owned(),
            (true, true) => format!("{confirmed} of {all} nodes have confirmed{left}, in {ms:.1} ms"),
            (true, false) => {
                format!("{confirmed} of {all} nodes have confirmed{left}, within {ms:.0} ms, wait = {wait}{why}")
            }
        }
    }

    pub(crate) fn explained(&self) -> String {
        let mut text = String::new();
        let width =
            self.nodes.iter().take(MOST).map(|node| plain(&node.node).chars().count()).max().unwrap_or_default();
        for node in self.nodes.iter().take(MOST) {
            let name = plain(&node.node);
            let _ = match (node.confirmed_ms, node.left) {
                (Some(ms), _) => writeln!(text, "  {name:width$}  confirmed after {ms:.1} ms"),
                (None, true) => writeln!(
                    text,
                    "  {name:width$}  left the fleet: its lease expired, and it revalidates what it stores until it \
                     has caught up"
                ),
                (None, false) => writeln!(text, "  {name:width$}  not confirmed: its lease had not expired yet"),
            };
        }
        if let Some(position) = &self.written {
            let _ = writeln!(text, "  on the bus at {}", plain(position));
        }
        text.trim_end().to_owned()
    }
}

/// Text of other processes must not control the terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_TEXT).collect()
}

#[cfg(test)]
mod tests;
