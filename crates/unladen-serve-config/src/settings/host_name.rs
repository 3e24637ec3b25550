//! The principal type is [`HostName`]: a name, or all names below one, that a site answers for.

use serde::Serialize;

/// What a site answers for: in small letters, of ASCII, without a port and without a dot at its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostName {
    /// This name, or this address: of IPv6 in brackets, as in a URL.
    Exact(String),
    /// `*.example.org` is kept as `example.org`: all names that end with it and have one label more, or several. The
    /// name itself is none of them.
    Below(String),
}

/// As it is written into the file.
impl std::fmt::Display for HostName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact(name) => f.write_str(name),
            Self::Below(name) => write!(f, "*.{name}"),
        }
    }
}
