//! The principal type is [`HostName`]: a name, or all names below one, that a site answers to.

use serde::Serialize;

/// A name that a site answers to: ASCII, in small letters, without port and final dot.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostName {
    /// This name or address; IPv6 in brackets, as in a URL.
    Exact(String),
    /// `*.example.org` is kept as `example.org`: all names below it, by one label or several, but not the name itself.
    Below(String),
}

impl std::fmt::Display for HostName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact(name) => f.write_str(name),
            Self::Below(name) => write!(f, "*.{name}"),
        }
    }
}
