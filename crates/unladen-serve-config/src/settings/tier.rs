//! The principal type is [`TierSettings`]: the peers that a node asks before it asks the application.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use unladen_pool::{Origin, UpstreamSettings};

/// The peers that a node asks before it asks the application.
#[derive(Clone, Debug, PartialEq)]
pub struct TierSettings {
    /// Where they are, and how they are called.
    pub upstream: UpstreamSettings,
    /// Another number when the file of its authorities is another.
    pub stamp: u64,
    /// By what they know each other …
    pub secret: TierSecret,
    /// … and where that stands.
    pub secret_file: PathBuf,
    /// Which of them this node is; none: it finds out.
    pub node: Option<SocketAddr>,
    /// How long a peer may take to show that it is at work.
    pub deadline: Duration,
    /// A page is kept here too once it was asked for so often.
    pub hot: u8,
}

/// By what the nodes of a tier know each other: 32 to 256 visible ASCII characters. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct TierSecret(String);

// === impl TierSecret ===

impl TierSecret {
    /// The shortest that is taken, in bytes.
    pub const SHORTEST: usize = 32;
    /// The longest.
    pub const LONGEST: usize = 256;

    /// None: it is too short, too long, or has characters that a header field may not have.
    pub fn new(text: &str) -> Option<Self> {
        let is_long_enough = (Self::SHORTEST..=Self::LONGEST).contains(&text.len());
        (is_long_enough && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Self(text.to_owned()))
    }

    /// To be sent to a peer, and to nobody else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TierSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TierSecret(…)")
    }
}

/// As its keys have it; the secret is not shown.
impl Serialize for TierSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_struct("TierSettings", 7)?;
        let url = |origin: &Origin| format!("{}://{}", if origin.tls { "https" } else { "http" }, origin.authority);
        table.serialize_field("peers", &self.upstream.origins.iter().map(url).collect::<Vec<_>>())?;
        table.serialize_field("secret_file", &self.secret_file)?;
        table.serialize_field("node", &self.node)?;
        table.serialize_field("deadline", &self.deadline)?;
        table.serialize_field("hot", &self.hot)?;
        table.serialize_field("ca", &self.upstream.tls.ca)?;
        table.serialize_field("server_name", &self.upstream.tls.server_name)?;
        table.end()
    }
}

#[cfg(test)]
mod tests;
