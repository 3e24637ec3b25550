//! The principal type is [`SessionOptions`]: how a session is started.

use std::path::PathBuf;
use std::time::Duration;

/// How long a shell on the other host may take to answer where nothing else is said: some type a password meanwhile.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);

/// How a session is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOptions {
    /// Whether a program may be copied to a host where there is none.
    pub copy: bool,
    /// The program to copy; else it is looked for ([`AgentBinary::find`](crate::AgentBinary::find)).
    pub agent: Option<PathBuf>,
    /// How long a shell there may take to answer.
    pub connect_timeout: Duration,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self { copy: true, agent: None, connect_timeout: CONNECT_TIMEOUT }
    }
}
