//! The principal type is [`SessionOptions`]: how a session is started.

use std::path::PathBuf;
use std::time::Duration;

/// Default of `connect_timeout`: some users type a password meanwhile.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);

/// How a session is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOptions {
    pub copy: bool,
    /// The program to copy; else it is searched ([`AgentBinary::find`](crate::AgentBinary::find)).
    pub agent: Option<PathBuf>,
    pub connect_timeout: Duration,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self { copy: true, agent: None, connect_timeout: CONNECT_TIMEOUT }
    }
}
