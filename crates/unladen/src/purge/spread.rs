//! The principal type is [`Spread`]: where a purge went in a fleet.

use std::fmt::Write;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Most nodes that are listed.
const MOST: usize = 10_000;
/// Most characters of another process's text.
const LONGEST: usize = 200;

/// Who has to have confirmed before the answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
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

impl Wait {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Quorum => "quorum",
            Self::None => "none",
        }
    }
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
            (false, _) => format!("this node has forgotten it; the bus does not have it yet{why}"),
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
                    "  {name:width$}  left the fleet: its lease was over, and it asks about what it stores until it has \
                     caught up"
                ),
                (None, false) => writeln!(text, "  {name:width$}  not confirmed: its lease was not over yet"),
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
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect()
}

#[cfg(test)]
mod tests;
